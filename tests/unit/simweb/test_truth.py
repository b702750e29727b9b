"""The truth file agrees with the pages it speaks of."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from simweb.truth import TableRow, Truth, check, load_truth, load_truths
from simweb.world import WORLD, WorldError, load_topic, load_world


@pytest.fixture(scope="module")
def truth() -> Truth:
    return load_truth()


def description() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((WORLD / "dpp4/truth.yaml").read_text("utf-8"))
    return loaded


def test_every_quote_and_address_of_the_truth_exists(truth: Truth) -> None:
    """Loading checks each quote against its page; seventeen claims are planted."""
    assert len(truth.claims) == 17


def test_contested_claims_have_evidence_on_both_sides(truth: Truth) -> None:
    """These claims are disputed in the world, the others are not."""
    contested = [claim.id for claim in truth.claims if claim.is_contested]

    assert contested == [
        "hba1c",
        "hypo-sulfonylurea",
        "weight",
        "hf-saxagliptin",
        "pancreatitis",
        "joint-pain",
        "mortality",
        "insulin-hypo",
        "cost",
    ]


def test_copies_count_for_their_original(truth: Truth) -> None:
    """The wire story and its three copies are one source; the cohort study on two sites is one work."""
    claim = truth.claim("hf-saxagliptin")

    copies = [evidence.url for evidence in claim.refutes if evidence.is_copy]
    sources = {evidence.source for evidence in claim.refutes}
    assert copies == list(
        truth.copies["https://www.globewire-health.com/2016/03/24/diabetes-pills-heart-failure-study"]
    )
    assert sources == {"doi:10.5555/jmetd.2016.0501", "domain:globewire-health.com", "domain:calderwood.edu"}
    assert (claim.independent_supports, claim.independent_refutes) == (4, 3)


@pytest.fixture(scope="module")
def truths() -> dict[str, Truth]:
    return load_truths()


def test_every_topic_has_its_truth(truths: dict[str, Truth]) -> None:
    """Claims, contested claims and copies of each topic, all checked against the pages by loading."""
    found = {
        name: (len(one.claims), sum(claim.is_contested for claim in one.claims), sum(map(len, one.copies.values())))
        for name, one in truths.items()
    }

    assert found == {
        "alp2": (15, 10, 3),
        "dpp4": (17, 9, 4),
        "kosodate": (15, 11, 4),
        "kosui": (8, 5, 3),
        "lowzone": (8, 6, 3),
        "misakino": (8, 6, 3),
        "harigase": (8, 5, 3),
        "hinokawa": (8, 6, 3),
        "orchardlea": (8, 6, 3),
        "kashiro": (8, 7, 3),
        "pellingmoor": (8, 7, 3),
        "quillmere": (8, 6, 3),
        "saltmarsh": (8, 6, 3),
        "sleepband": (8, 7, 3),
        "tokiwadai": (8, 6, 3),
        "marrowick": (8, 8, 3),
        "unosawa": (8, 8, 3),
        "tsukihara": (8, 7, 3),
        "wexmoor": (8, 7, 3),
        "aldmere": (8, 7, 3),
        "minasato": (8, 7, 3),
        "cresswick": (8, 7, 3),
        "yunosato": (8, 7, 3),
        "brantholme": (8, 8, 3),
        "hatsuse": (8, 7, 2),
    }


def test_a_topic_is_named_or_given_by_its_folder(truths: dict[str, Truth]) -> None:
    """The medical topic is the default."""
    assert (load_truth("alp2"), load_truth(WORLD / "alp2")) == (truths["alp2"], truths["alp2"])
    assert load_truth() == truths["dpp4"]


def test_a_content_farm_is_one_source(truths: dict[str, Truth]) -> None:
    """Eight pages on three domains say that free lunches raise test scores; they count once."""
    truth = truths["kosodate"]
    claim = truth.claim("lunch-score")

    domains = {url.split("/")[2] for url in truth.farms[0].pages}

    assert (len(truth.farms[0].pages), len(domains)) == (8, 3)
    assert (len(claim.supports), claim.independent_supports, claim.independent_refutes) == (8, 1, 3)


def test_a_citation_loop_is_one_source(truths: dict[str, Truth]) -> None:
    """Three sites that cite one another count once."""
    claim = truths["kosodate"].claim("iju-boom")

    assert {evidence.source for evidence in claim.supports} == {"loop:iju-3wari"}
    assert claim.independent_refutes == 3


def test_what_is_planted_to_deceive(truths: dict[str, Truth]) -> None:
    """Two topics have a loop, a farm, a hidden injection, a harmless mention and self-citation, eighteen only farms."""
    found = {
        name: (
            len(one.loops),
            [len(farm.pages) for farm in one.farms],
            [injection.kind for injection in one.injections],
            len(one.self_references),
        )
        for name, one in truths.items()
    }

    assert found == {
        "alp2": (1, [6], ["hidden", "mention"], 2),
        "dpp4": (0, [], [], 0),
        "kosodate": (1, [8], ["hidden", "mention"], 1),
        "kosui": (0, [6], [], 0),
        "lowzone": (0, [6], [], 0),
        "misakino": (0, [6], [], 0),
        "harigase": (0, [4, 4], [], 0),
        "hinokawa": (0, [6], [], 0),
        "orchardlea": (0, [6], [], 0),
        "kashiro": (0, [6], [], 0),
        "pellingmoor": (0, [6], [], 0),
        "quillmere": (0, [5, 4], [], 0),
        "saltmarsh": (0, [6], [], 0),
        "sleepband": (0, [6], [], 0),
        "tokiwadai": (0, [6], [], 0),
        "marrowick": (0, [6], [], 0),
        "unosawa": (0, [6], [], 0),
        "tsukihara": (0, [6], [], 0),
        "wexmoor": (0, [6], [], 0),
        "aldmere": (0, [6], [], 0),
        "minasato": (0, [6], [], 0),
        "cresswick": (0, [6], [], 0),
        "yunosato": (0, [6], [], 0),
        "brantholme": (0, [5], [], 0),
        "hatsuse": (0, [5], [], 0),
    }


def test_what_changed_with_time(truths: dict[str, Truth]) -> None:
    """Updates, corrections, retractions and a removal happened on their days."""
    kinds = {name: sorted(change.kind for change in one.changes) for name, one in truths.items()}

    assert kinds == {
        "alp2": ["correction", "correction", "removal", "retraction", "update"],
        "dpp4": [],
        "kosodate": ["correction", "correction", "retraction", "update", "update", "update"],
        "kosui": ["correction", "retraction", "update"],
        "lowzone": ["correction", "retraction", "update"],
        "misakino": ["correction", "retraction", "update"],
        "harigase": ["correction", "retraction", "update"],
        "hinokawa": ["correction", "retraction", "update"],
        "orchardlea": ["correction", "retraction", "update"],
        "kashiro": ["correction", "retraction", "update"],
        "pellingmoor": ["correction", "retraction", "update"],
        "quillmere": ["correction", "retraction", "update", "update"],
        "saltmarsh": ["correction", "retraction", "update"],
        "sleepband": ["correction", "retraction", "update"],
        "tokiwadai": ["correction", "retraction", "update"],
        "marrowick": ["correction", "retraction", "update"],
        "unosawa": ["correction", "retraction", "update"],
        "tsukihara": ["correction", "retraction", "update"],
        "wexmoor": ["correction", "retraction", "update"],
        "aldmere": ["correction", "retraction"],
        "minasato": ["correction", "retraction", "update"],
        "cresswick": ["correction", "retraction", "update"],
        "yunosato": ["correction", "retraction", "update"],
        "brantholme": ["correction", "retraction", "update"],
        "hatsuse": ["correction", "retraction", "update"],
    }


def test_a_copy_that_says_something_else_is_refused() -> None:
    """What is listed as a copy shares at least 0.8 of its 5-grams with the original."""
    wrong = description()
    wrong["copies"][0]["copies"].append("https://www.fdso.gov/safety/dpp4-heart-failure")

    with pytest.raises(WorldError, match=r"fdso\.gov/safety/dpp4-heart-failure is no near-copy of"):
        check(wrong, load_topic(WORLD / "dpp4"))


def test_pages_of_one_template_are_no_copies() -> None:
    """Two pages of a farm share two thirds of their 5-grams, which is below the bar of near-duplicates."""
    topic = load_topic(WORLD / "alp2")
    wrong: dict[str, Any] = yaml.safe_load((WORLD / "alp2/truth.yaml").read_text("utf-8"))
    farm = wrong["farms"][0]["pages"]
    wrong["copies"] = [{"original": farm[0], "copies": farm[1:2]}]

    with pytest.raises(WorldError, match="is no near-copy of"):
        check(wrong, topic)


def test_every_citation_leads_somewhere() -> None:
    """What pages cite are pages or papers of the world."""
    topics = load_world()
    known = {page.url for topic in topics for page in topic.pages} | {work.doi for one in topics for work in one.papers}

    cited = {item for topic in topics for page in topic.pages for item in page.cites}

    assert cited - known == set()


def test_a_page_that_cites_others_is_no_self_reference() -> None:
    """Self-reference means that every citation stays with the publisher."""
    wrong = {**description(), "self_references": ["https://en.wikipedia.org/wiki/Saxagliptin"]}

    with pytest.raises(WorldError, match="cites others than its own publisher"):
        check(wrong, load_topic(WORLD / "dpp4"))


def test_every_claim_is_worded_in_both_languages(truth: Truth) -> None:
    """A client may ask in English or Japanese."""
    assert {tuple(sorted(claim.text)) for claim in truth.claims} == {("en", "ja")}


def test_a_quote_that_the_page_does_not_hold_is_refused() -> None:
    """A change of a page that breaks the truth file is noticed."""
    wrong = description()
    wrong["claims"][0]["supports"][0]["quote"] = "It cures everything."

    with pytest.raises(WorldError, match=r"www\.nimeth\.gov/health-topics/dpp-4-inhibitors does not say"):
        check(wrong, load_topic(WORLD / "dpp4"))


def test_an_address_that_does_not_exist_is_refused() -> None:
    """The truth file cannot speak of a page that nobody wrote."""
    wrong = description()
    wrong["no_claims"].append("https://www.fdso.gov/nothing")

    with pytest.raises(WorldError, match=r"there is no page https://www\.fdso\.gov/nothing"):
        check(wrong, load_topic(WORLD / "dpp4"))


def test_a_small_topic_needs_only_what_it_says(tmp_path: Path) -> None:
    """Two pages that contradict each other and one claim are a topic; what it does not plant needs no mention."""
    (tmp_path / "topic.yaml").write_text(
        "topic: tea\ntitle: Green tea and sleep\nsites:\n"
        "  - {domain: www.leafwatch.org, name: Leaf Watch, kind: organisation, language: en, template: organisation}\n"
    )
    for name, text in (("yes", "Green tea improves sleep."), ("no", "Green tea does not improve sleep.")):
        page = tmp_path / "pages" / "www.leafwatch.org" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"---\npath: /{name}\ntitle: Tea\n---\n{text}\n")
    planted: dict[str, Any] = {
        "question": {"en": "Does green tea improve sleep?"},
        "queries": {"en": ["green tea sleep"]},
        "hypotheses": ["sleep"],
        "claims": [
            {
                "id": "sleep",
                "text": {"en": "Green tea improves sleep."},
                "truth": "open",
                "acceptable_verdicts": ["contested"],
                "supports": [{"url": "https://www.leafwatch.org/yes", "quote": "Green tea improves sleep."}],
                "refutes": [{"url": "https://www.leafwatch.org/no", "quote": "Green tea does not improve sleep."}],
            }
        ],
    }

    truth = check(planted, load_topic(tmp_path))

    assert (truth.claim("sleep").is_contested, truth.copies, truth.unreachable) == (True, {}, ())


def test_what_a_truth_file_lacks_is_named() -> None:
    """Whoever writes a topic reads which part is missing, not a traceback of the loader."""
    half = {name: part for name, part in description().items() if name not in ("queries", "hypotheses")}

    with pytest.raises(WorldError, match=r"truth\.yaml: queries, hypotheses missing or empty"):
        check(half, load_topic(WORLD / "dpp4"))


@pytest.mark.parametrize(
    ("lost", "message"),
    [
        pytest.param(["truth"], "the hypothesis hba1c lacks truth", id="no truth"),
        pytest.param(["acceptable_verdicts"], "the hypothesis hba1c lacks acceptable_verdicts", id="no verdicts"),
        pytest.param(
            ["truth", "acceptable_verdicts"], "the hypothesis hba1c lacks truth and acceptable_verdicts", id="neither"
        ),
    ],
)
def test_a_hypothesis_that_is_not_judged_is_refused(lost: list[str], message: str) -> None:
    """Only claims that no session asks about need no judgement."""
    wrong = description()
    wrong["claims"][0] = {key: value for key, value in wrong["claims"][0].items() if key not in lost}

    with pytest.raises(WorldError) as caught:
        check(wrong, load_topic(WORLD / "dpp4"))

    assert str(caught.value) == f"truth.yaml: {message}"


def test_a_claim_that_is_no_hypothesis_needs_no_judgement(truth: Truth) -> None:
    """The medical topic judges its seven hypotheses and none of the ten other claims."""
    judged = tuple(claim.id for claim in truth.claims if claim.truth is not None)

    assert sorted(judged) == sorted(truth.hypotheses)


def test_the_reason_of_a_judgement_is_kept(truth: Truth) -> None:
    """Whoever doubts a judgement reads why it was made."""
    assert truth.claim("mortality").why == (
        "A network meta-analysis, a review and single trials agree; against it stand a retracted study and the story "
        "that repeats it."
    )


def _misspelt_claim(wrong: dict[str, Any]) -> None:
    wrong["claims"][0]["suports"] = []


def _misspelt_evidence(wrong: dict[str, Any]) -> None:
    wrong["claims"][0]["supports"][0]["orgin"] = "expert:A"


def _misspelt_copy(wrong: dict[str, Any]) -> None:
    wrong["copies"][0]["copy"] = []


def _misspelt_section(wrong: dict[str, Any]) -> None:
    wrong["lookalike"] = []


@pytest.mark.parametrize(
    ("misspell", "message"),
    [
        pytest.param(_misspelt_section, "truth.yaml: unknown key lookalike", id="a section"),
        pytest.param(_misspelt_copy, "truth.yaml: copies: unknown key copy", id="an entry of a section"),
        pytest.param(_misspelt_claim, "truth.yaml: claims: unknown key suports", id="a claim"),
        pytest.param(_misspelt_evidence, "truth.yaml: evidence of hba1c: unknown key orgin", id="evidence"),
    ],
)
def test_an_unknown_key_is_refused(misspell: Callable[[dict[str, Any]], None], message: str) -> None:
    """What the loader would pass over is a statement lost."""
    wrong = description()
    misspell(wrong)

    with pytest.raises(WorldError) as caught:
        check(wrong, load_topic(WORLD / "dpp4"))

    assert str(caught.value) == message


def test_what_looks_alike_is_listed(truths: dict[str, Truth]) -> None:
    """Origins, lookalikes and rows of tables of each topic, all checked against the pages by loading."""
    found = {name: (len(one.origins), len(one.lookalikes), len(one.table_rows)) for name, one in truths.items()}

    assert found == {
        "alp2": (0, 0, 0),
        "dpp4": (0, 0, 0),
        "kosodate": (0, 0, 0),
        "kosui": (5, 11, 2),
        "lowzone": (9, 20, 6),
        "misakino": (7, 16, 3),
        "harigase": (11, 29, 4),
        "hinokawa": (8, 37, 3),
        "orchardlea": (12, 41, 11),
        "kashiro": (7, 55, 8),
        "pellingmoor": (12, 101, 19),
        "quillmere": (10, 38, 6),
        "saltmarsh": (10, 35, 3),
        "sleepband": (7, 8, 0),
        "tokiwadai": (11, 32, 2),
        "marrowick": (9, 79, 11),
        "unosawa": (7, 77, 10),
        "tsukihara": (11, 55, 4),
        "wexmoor": (13, 25, 6),
        "aldmere": (12, 41, 10),
        "minasato": (12, 31, 8),
        "cresswick": (10, 41, 14),
        "yunosato": (12, 40, 8),
        "brantholme": (11, 47, 8),
        "hatsuse": (11, 41, 4),
    }


def test_a_row_of_a_table_is_read(truths: dict[str, Truth]) -> None:
    """It says the same as a sentence of its page and is no evidence of its own."""
    truth = truths["kosui"]

    row = truth.table_rows[0]

    assert row == TableRow(
        "wakasagi-double",
        "refutes",
        "https://www.naisuimen-gyogyo.go.jp/tokei/gyokaku-r6",
        "蓼見湖 ワカサギ 62 55 60 58",
    )
    assert row.quote not in [evidence.quote for evidence in truth.claim("wakasagi-double").refutes]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"quote": "1 2 3"}, "does not say '1 2 3'", id="a row that is not there"),
        pytest.param({"side": "supports"}, "supports wakasagi-double beside its table row", id="the other side"),
        pytest.param({"claim": "smell-half"}, "refutes smell-half beside its table row", id="another claim"),
    ],
)
def test_a_row_without_its_sentence_is_refused(change: dict[str, str], message: str) -> None:
    """A row stands on a page that says the same in words, on the same side of the same claim."""
    wrong: dict[str, Any] = yaml.safe_load((WORLD / "kosui/truth.yaml").read_text("utf-8"))
    wrong["table_rows"][0].update(change)

    with pytest.raises(WorldError) as caught:
        check(wrong, load_topic(WORLD / "kosui"))

    assert str(caught.value).endswith(message)
