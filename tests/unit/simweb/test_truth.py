"""The truth file agrees with the pages it speaks of."""

from typing import Any

import pytest
import yaml

from simweb.truth import Truth, check, load_truth
from simweb.world import WORLD, WorldError, load_topic


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


def shingles(text: str, lang: str) -> set[tuple[str, ...]]:
    units = list("".join(text.split())) if lang == "ja" else text.lower().split()
    return {tuple(units[start : start + 5]) for start in range(len(units) - 4)}


def test_copies_are_near_duplicates(truth: Truth) -> None:
    """Every copy shares at least 0.8 of its 5-grams with the original, the bar for near-duplicates."""
    pages = {page.url: page for page in load_topic(WORLD / "dpp4").pages}
    pairs = [(pages[original], pages[url]) for original, urls in truth.copies.items() for url in urls]

    grams = [(shingles(one.text, one.lang), shingles(other.text, other.lang)) for one, other in pairs]

    assert len(grams) == 4
    assert min(len(one & other) / len(one | other) for one, other in grams) >= 0.8


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
