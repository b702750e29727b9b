"""Which host answers for which name."""

import pytest

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
    """Thirteen places of the world fail by nature; a rate limit is the crawl delay that robots.txt announces."""
    found = faults_of(load_world())

    assert [fault.pause_s for _, fault in found if fault.kind == "rate_limit"] == [2]
    assert [(pattern, fault.kind) for pattern, fault in found] == [
        ("www.premium-standards-review.com/analysis/*", "paywall"),
        ("members.oipa-portal.org/wg4/*", "login_wall"),
        ("legacy.padspec-archive.org/", "certificate_expired"),
        ("shop.voltbarn-outlet.com/*", "captcha"),
        ("www.medpremium-review.com/*", "status"),
        ("www.clinicbriefs.com/briefs/*", "status"),
        ("archive.drugbulletin.org/2009/incretin-outlook", "slow"),
        ("archive.drugbulletin.org/2012/incretin-update", "truncated"),
        ("archive.drugbulletin.org/2011/lost-issue", "status"),
        ("archive.drugbulletin.org/2013/flaky-issue", "reset"),
        ("www.keizai-chiho-weekly.jp/tokushu/*", "paywall"),
        ("www.shokuin-forum.jp/jirei/*", "login_wall"),
        ("www.shichoson-ranking.jp/*", "rate_limit"),
    ]


def test_a_site_of_two_topics_is_one_site() -> None:
    """The Japanese encyclopaedia holds articles of the medical topic and of the one on public policy."""
    answers = [search("ja.wikipedia.org", f"/wiki/{title}") for title in ("DPP-4阻害薬", "移住支援金")]

    assert [b"firstHeading" in answer for answer in answers] == [True, True]


@pytest.mark.parametrize(
    ("query", "site"),
    [
        pytest.param("saxagliptin heart failure", b"www.fdso.gov", id="medicine"),
        pytest.param("給食費 無償化 出生数", b"www.pp.toryo-u.ac.jp", id="public policy"),
        pytest.param("ALP-2 misalignment efficiency", b"www.jpte-journal.org", id="technical standard"),
    ],
)
def test_one_engine_knows_every_topic(query: str, site: bytes) -> None:
    """A session on one topic finds its pages although the engines index all."""
    assert site in search("www.mojeek.com", f"/search?q={query}")
