"""What a session found, laid beside what was planted."""

from typing import Any

import pytest

from lyra_bench.planted import Comparison, Judged, compare
from simweb.truth import Truth, load_truth


@pytest.fixture(scope="module")
def truth() -> Truth:
    return load_truth()


def edge(truth: Truth, claim: str, side: str, relation: str) -> dict[str, Any]:
    """A judgement of the first piece of evidence planted on one side of a claim."""
    evidence = getattr(truth.claim(claim), side)[0]
    return {
        "claim_id": f"c_{claim}",
        "url": evidence.url,
        "text": f"Before. {evidence.quote} After.",
        "relation": relation,
    }


def test_nothing_found_is_nothing_of_everything(truth: Truth) -> None:
    """An empty graph agrees with nothing and contradicts nothing."""
    found = compare(truth, [], {}, [], [])

    assert found == Comparison(len(truth.claims), 0, (), (), (), 0)
    assert (found.agreeing, found.opposite) == (0, 0)


def test_a_planted_claim_is_stated_by_its_words_on_its_page(truth: Truth) -> None:
    """The same words elsewhere, or other words there, are not it."""
    planted = truth.claim("hba1c").supports[0]
    other = truth.claim("hypo-alone").supports[0]
    mentions = [
        {"url": planted.url, "quote": planted.quote},
        {"url": "https://elsewhere.org/", "quote": other.quote},
        {"url": other.url, "quote": "Other words."},
    ]

    assert compare(truth, mentions, {}, [], []).stated == 1


def test_a_paper_is_recognised_wherever_it_is_read(truth: Truth) -> None:
    """By its work: an abstract at the resolver's address holds the journal's words."""
    planted = next(one for one in truth.claim("mortality").supports if one.source.startswith("doi:"))
    mention = {"url": f"https://doi.org/{planted.source.removeprefix('doi:')}", "work_id": planted.source}

    found = compare(truth, [{**mention, "quote": planted.quote}], {}, [], [])

    assert found.stated == 1


def test_judgements_are_compared_with_what_was_planted(truth: Truth) -> None:
    """Support read as refutation is the opposite; neutral is neither."""
    hypotheses = {name: f"c_{name}" for name in ("hba1c", "hf-saxagliptin", "pancreatitis")}
    edges = [
        edge(truth, "hba1c", "supports", "supports"),
        edge(truth, "hf-saxagliptin", "supports", "refutes"),
        edge(truth, "pancreatitis", "refutes", "neutral"),
    ]

    found = compare(truth, [], hypotheses, edges, ["c_hf-saxagliptin"])

    assert found.judged[0] == Judged("hba1c", edges[0]["url"], "supports", "supports")
    assert (len(found.judged), found.agreeing, found.opposite) == (3, 1, 1)
    assert found.contested_found == ("hf-saxagliptin",)
    assert set(found.contested) == {"hba1c", "hf-saxagliptin", "pancreatitis"}


def test_a_quote_judged_twice_on_one_page_counts_once(truth: Truth) -> None:
    """Two fragments that overlap hold the same sentence."""
    one = edge(truth, "hba1c", "supports", "supports")

    found = compare(truth, [], {"hba1c": "c_hba1c"}, [one, {**one, "text": one["text"] + " More."}], [])

    assert len(found.judged) == 1


def test_claims_from_pages_that_hold_none_are_counted(truth: Truth) -> None:
    """Lists and echoes of the question must give nothing."""
    mentions = [{"url": truth.no_claims[0], "quote": "anything"}]

    assert compare(truth, mentions, {}, [], []).claims_from_empty_pages == 1
