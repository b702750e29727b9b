"""Whom evidence counts for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simweb.model import Page
from simweb.sources import Origin, Sources, read_origins
from simweb.truth import load_truth
from simweb.world import WorldError, load_topic

SITES = ("www.journal.org", "lab.uni.edu", "www.daily.com", "blog.me.net")
JOURNAL, LAB, DAILY, BLOG = (f"https://{domain}/a" for domain in SITES)

Made = Callable[..., Sources]


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, Page]:
    """One page on each of four sites; the journal's presents a paper."""
    listed = "".join(f"  - {{domain: {domain}, name: X, kind: news, template: news}}\n" for domain in SITES)
    (tmp_path / "topic.yaml").write_text(f"topic: tiny\ntitle: Tiny\nsites:\n{listed}")
    (tmp_path / "papers.yaml").write_text(
        "- {id: p, title: On p, authors: [A B], date: 2020-02-03, venue: V, doi: 10.5555/P, abstract: It works.}\n"
    )
    for domain in SITES:
        (tmp_path / "pages" / domain).mkdir(parents=True)
        about = "paper: p" if domain == SITES[0] else "title: A"
        (tmp_path / "pages" / domain / "a.md").write_text(f"---\npath: /a\n{about}\n---\nText.\n")
    return {page.url: page for page in load_topic(tmp_path).pages}


@pytest.fixture
def sources(pages: dict[str, Page]) -> Made:
    def make(*origins: Origin, groups: dict[str, str] | None = None) -> Sources:
        return Sources(pages, {}, groups or {}, origins)

    return make


@pytest.mark.parametrize(
    ("url", "source"),
    [
        pytest.param(JOURNAL, "doi:10.5555/p", id="a work"),
        pytest.param(LAB, "domain:uni.edu", id="a publisher"),
    ],
)
def test_a_page_counts_for_its_work_or_publisher(sources: Made, pages: dict[str, Page], url: str, source: str) -> None:
    """Where nothing is listed, a page that presents a work is that work, another its publisher."""
    assert sources().of(pages[url], {url}) == source


def test_pages_on_one_study_are_that_work(sources: Made, pages: dict[str, Page]) -> None:
    """The laboratory that retells its paper counts for the paper."""
    study = Origin("study", (JOURNAL, LAB))

    found = [sources(study).of(pages[url], {JOURNAL, LAB}) for url in (JOURNAL, LAB)]

    assert found == ["doi:10.5555/p", "doi:10.5555/p"]


def test_pages_on_one_person_are_that_origin(sources: Made, pages: dict[str, Page]) -> None:
    """Two papers that quote one professor are one source, named as listed."""
    professor = Origin("professor", (DAILY, BLOG))

    found = [sources(professor).of(pages[url], {DAILY, BLOG, LAB}) for url in (DAILY, BLOG, LAB)]

    assert found == ["origin:professor", "origin:professor", "domain:uni.edu"]


def test_an_origin_needs_company_on_the_same_side(sources: Made, pages: dict[str, Page]) -> None:
    """A newspaper that once quotes the professor speaks for itself where nobody else repeats him."""
    professor = Origin("professor", (DAILY, BLOG))

    assert sources(professor).of(pages[DAILY], {DAILY, LAB}) == "domain:daily.com"


def test_a_page_with_two_origins_counts_for_the_one_it_shares(sources: Made, pages: dict[str, Page]) -> None:
    """An encyclopaedia rests on a study here and on a person there."""
    both = sources(Origin("study", (JOURNAL, DAILY)), Origin("person", (BLOG, DAILY)))

    found = [both.of(pages[DAILY], beside) for beside in ({DAILY, JOURNAL}, {DAILY, BLOG})]

    assert found == ["doi:10.5555/p", "origin:person"]


def test_two_origins_on_one_side_are_refused(sources: Made, pages: dict[str, Page]) -> None:
    """Whoever writes a topic says by `origin` which of them a sentence rests on."""
    both = sources(Origin("study", (JOURNAL, DAILY)), Origin("person", (BLOG, DAILY)))

    with pytest.raises(WorldError) as caught:
        both.of(pages[DAILY], {DAILY, JOURNAL, BLOG})

    assert str(caught.value) == f"truth.yaml: {DAILY} shares study and person on one side"


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        pytest.param(JOURNAL, "doi:10.5555/p", id="a page"),
        pytest.param("expert:Ilse Marchbank", "expert:Ilse Marchbank", id="a person"),
    ],
)
def test_a_sentence_counts_for_its_own_origin(sources: Made, pages: dict[str, Page], origin: str, source: str) -> None:
    """What a sentence says of its origin goes before the page it stands on."""
    assert sources().of(pages[BLOG], {BLOG}, origin) == source


def test_an_origin_that_is_nowhere_is_refused(sources: Made, pages: dict[str, Page]) -> None:
    """An origin is a page of the topic or a named expert."""
    with pytest.raises(WorldError) as caught:
        sources().of(pages[BLOG], {BLOG}, "https://nowhere.org/")

    assert str(caught.value) == "truth.yaml: the origin https://nowhere.org/ is neither a page nor expert:NAME"


def test_a_farm_goes_before_an_origin(sources: Made, pages: dict[str, Page]) -> None:
    """A farm's page is the farm's, whatever it repeats."""
    made = sources(Origin("study", (JOURNAL, BLOG)), groups={BLOG: "farm:f"})

    assert made.of(pages[BLOG], {JOURNAL, BLOG}) == "farm:f"


def test_both_names_of_the_list_are_read(pages: dict[str, Page]) -> None:
    """`same_source` and `same_origin` are the same thing."""
    found = read_origins(
        {
            "same_source": [{"name": "study", "pages": [JOURNAL, LAB]}],
            "same_origin": [{"name": "person", "pages": [DAILY, BLOG]}],
        },
        pages,
    )

    assert found == (Origin("study", (JOURNAL, LAB)), Origin("person", (DAILY, BLOG)))


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        pytest.param([JOURNAL, "https://x.org/"], "there is no page https://x.org/", id="an unknown page"),
        pytest.param([JOURNAL, JOURNAL], "the origin study has fewer than two pages", id="one page"),
    ],
)
def test_a_wrong_list_is_refused(pages: dict[str, Page], listed: list[str], message: str) -> None:
    """An origin joins at least two pages of the topic."""
    wrong: dict[str, Any] = {"same_source": [{"name": "study", "pages": listed}]}

    with pytest.raises(WorldError) as caught:
        read_origins(wrong, pages)

    assert str(caught.value) == f"truth.yaml: {message}"


@pytest.mark.parametrize(
    ("topic", "counts"),
    [
        pytest.param(
            "sleepband",
            {
                "longer-sleep": (4, 1),
                "skin": (4, 1),
                "app-overstates": (2, 0),
                "errors-halved": (1, 2),
                "melatonin": (1, 1),
                "cost-millions": (1, 3),
                "compulsory": (2, 4),
                "absence": (2, 3),
            },
            id="sleepband",
        ),
        pytest.param(
            "kosui",
            {
                "smell-half": (5, 0),
                "shijimi-up": (3, 1),
                "compost-saving": (1, 0),
                "clarity-up": (3, 3),
                "bloom-sixty": (1, 1),
                "compost-double": (1, 0),
                "wakasagi-double": (1, 2),
                "cost-billion": (1, 2),
            },
            id="kosui",
        ),
        pytest.param(
            "lowzone",
            {
                "no2-down": (3, 1),
                "bus-faster": (3, 0),
                "van-grants": (1, 0),
                "asthma-down": (2, 2),
                "trade-lost": (3, 2),
                "lungs-gain": (1, 1),
                "income-38m": (1, 3),
                "ecoplug-exempt": (1, 3),
            },
            id="lowzone",
        ),
        pytest.param(
            "misakino",
            {
                "riders-up": (4, 1),
                "chikoku-half": (3, 0),
                "makuragi-saving": (1, 0),
                "jinko-kanwa": (2, 2),
                "co2-sanwari": (1, 1),
                "akaji-25oku": (1, 2),
                "haishi-kettei": (1, 4),
                "chika-sanbai": (1, 1),
            },
            id="misakino",
        ),
        pytest.param(
            "harigase",
            {
                "hanso-hangen": (4, 1),
                "mrsa-yonwari": (3, 0),
                "keisho-sanwari": (1, 0),
                "uv-rokuwari": (1, 2),
                "shibo-18": (1, 2),
                "baikyaku": (1, 2),
                "kayu-mikka": (1, 0),
                "rishoku-zo": (3, 2),
            },
            id="harigase",
        ),
        pytest.param(
            "quillmere",
            {
                "entry-supplier": (5, 1),
                "late-notice": (3, 1),
                "practices-left": (1, 0),
                "fraud-more": (2, 3),
                "visits-fewer": (1, 3),
                "ransom-paid": (1, 4),
                "payout-750": (1, 4),
                "schoolboy": (1, 0),
            },
            id="quillmere",
        ),
        pytest.param(
            "saltmarsh",
            {
                "floods-fewer": (5, 1),
                "cost-over": (3, 1),
                "waders-double": (1, 0),
                "insurance-cheaper": (3, 4),
                "oysters-halved": (1, 3),
                "mosquitoes-more": (1, 4),
                "land-deal": (1, 4),
                "mud-arthritis": (1, 0),
            },
            id="saltmarsh",
        ),
        pytest.param(
            "tokiwadai",
            {
                "zanshoku-sanwari": (4, 1),
                "kensetsuhi-niwari": (3, 1),
                "gohai-hangen": (2, 0),
                "jimoto-gen": (3, 2),
                "choriin-rokuwari": (1, 3),
                "shokuchudoku": (1, 4),
                "tennyu-yonwari": (1, 3),
                "shincho-3cm": (1, 0),
            },
            id="tokiwadai",
        ),
        pytest.param(
            "orchardlea",
            {
                "marks-better": (2, 3),
                "bullying-fewer": (4, 1),
                "attendance-same": (3, 1),
                "cost-over": (3, 0),
                "sleep-longer": (1, 3),
                "pupils-against": (1, 3),
                "scheme-ended": (1, 4),
                "eyesight": (1, 0),
            },
            id="orchardlea",
        ),
        pytest.param(
            "hinokawa",
            {
                "kyukyu-sanwari": (4, 1),
                "ishi-15": (2, 0),
                "shomei-yonbun": (3, 1),
                "machi-hangen": (1, 4),
                "koji-nibai": (1, 4),
                "bunben-chushi": (1, 5),
                "iju-sanbai": (1, 0),
                "akaji-gen": (3, 3),
            },
            id="hinokawa",
        ),
        pytest.param(
            "pellingmoor",
            {
                "electricity-less": (3, 0),
                "sky-darker": (4, 1),
                "feel-unsafe": (4, 1),
                "moths-more": (3, 3),
                "burglary-up": (1, 3),
                "road-injuries": (1, 3),
                "no-tender": (1, 5),
                "house-prices": (1, 3),
            },
            id="pellingmoor",
        ),
        pytest.param(
            "kashiro",
            {
                "higai-hanbun": (4, 1),
                "ryoyu-nibai": (2, 0),
                "futan-nashi": (4, 1),
                "onpa-kyuwari": (1, 4),
                "shototsu-sanbai": (1, 4),
                "jiniku-heisa": (1, 5),
                "nochi-nibai": (1, 4),
                "sanrin-zo": (3, 3),
            },
            id="kashiro",
        ),
    ],
)
def test_independent_sources_as_a_careful_reader_counts(topic: str, counts: dict[str, tuple[int, int]]) -> None:
    """Retellings of one study, a city's own papers and an expert in two newspapers count once."""
    claims = load_truth(topic).claims

    assert {claim.id: (claim.independent_supports, claim.independent_refutes) for claim in claims} == counts
