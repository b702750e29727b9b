"""Which host answers for which name."""

from simweb.build import faults_of, hosts_of
from simweb.messages import Request
from simweb.world import load_world

HOSTS = hosts_of(load_world())


def search(host: str, target: str) -> bytes:
    return HOSTS[host].answer(Request("GET", "https", host, target)).body


def test_a_site_can_be_hidden_from_an_engine() -> None:
    """The Japanese aggregator is known to DuckDuckGo and not to Mojeek."""
    site = b"news.kenko-matome.jp"

    assert site in search("html.duckduckgo.com", "/html/?q=site:news.kenko-matome.jp")
    assert site not in search("www.mojeek.com", "/search?q=類天疱瘡+リスク")


def test_an_unlinked_page_is_in_no_engine() -> None:
    """The draft that robots.txt keeps away was never crawled."""
    assert b"/internal/" not in search("html.duckduckgo.com", "/html/?q=draft+internal+comment+heart+failure+review")


def test_the_world_has_faults_of_its_own() -> None:
    """Six places of the world fail by nature."""
    faults = [(pattern, fault.kind) for pattern, fault in faults_of(load_world())]

    assert faults == [
        ("www.medpremium-review.com/*", "status"),
        ("www.clinicbriefs.com/briefs/*", "status"),
        ("archive.drugbulletin.org/2009/incretin-outlook", "slow"),
        ("archive.drugbulletin.org/2012/incretin-update", "truncated"),
        ("archive.drugbulletin.org/2011/lost-issue", "status"),
        ("archive.drugbulletin.org/2013/flaky-issue", "reset"),
    ]
