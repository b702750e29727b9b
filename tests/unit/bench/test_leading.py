"""What a user meets first, on few fragments whose every stance is known."""

from dataclasses import replace
from typing import Any

import pytest

from lyra.model.edge import EvidenceRow, Relation
from lyra_bench.measure.leading import (
    KnownStance,
    Leading,
    contradiction_shares,
    known_stances,
    shown_share,
    stance_shares,
    table_rows,
    total,
)
from lyra_bench.measure.measures import Share
from lyra_bench.planted import Ground
from simweb.truth import Claim, Evidence, Truth, load_truth

FOR = Evidence("https://a.org/1", "The band lengthens sleep by an hour.", "domain:a.org", is_primary=False)
AGAINST = Evidence("https://b.org/1", "The band does not lengthen sleep.", "domain:b.org", is_primary=False)
JAPANESE = Evidence("https://c.jp/1", "この腕輪で睡眠は一時間のびる。", "domain:c.jp", is_primary=False)
OTHER = Evidence("https://d.org/1", "Rain fell all week.", "domain:d.org", is_primary=False)
RELATED = Evidence("https://e.org/1", "The band shortens naps.", "domain:e.org", is_primary=False)


def truth(**changes: Any) -> Truth:
    claims = (
        Claim("band-sleep", {"en": "The band lengthens sleep."}, (FOR, JAPANESE), (AGAINST,)),
        Claim("weather", {"en": "It rained."}, (OTHER,), ()),
        Claim("band-naps", {"en": "The band shortens naps."}, (RELATED,), ()),
    )
    return replace(load_truth("sleepband"), claims=claims, hypotheses=("band-sleep",), lookalikes=(), **changes)


def fragment(one: Evidence, text: str | None = None, number: int = 0) -> dict[str, Any]:
    return {"id": f"f_{one.url}_{number}", "url": one.url, "work_id": None, "text": text or one.quote}


def edge(one: Evidence, relation: Relation, claim: str = "c_1", number: int = 0) -> EvidenceRow:
    return EvidenceRow(claim, f"f_{one.url}_{number}", f"p_{one.url}", one.source, relation, 0.9)


def test_what_was_planted_and_never_judged_is_missed() -> None:
    """Found, taken for the opposite, and never judged; each in the language of its words."""
    fragments = [fragment(one) for one in (FOR, AGAINST, JAPANESE)]
    rows = [edge(FOR, Relation.SUPPORTS), edge(AGAINST, Relation.SUPPORTS)]

    known = known_stances(Ground(truth()), {"band-sleep": "c_1"}, fragments, rows)

    assert known == [
        KnownStance("en", "supports", "supports"),
        KnownStance("en", "refutes", "supports"),
        KnownStance("ja", "supports", None),
    ]
    assert stance_shares(known) == {
        "en": Leading(stance_precision=Share(1, 2), stance_recall=Share(1, 2)),
        "ja": Leading(stance_recall=Share(0, 1)),
    }


def test_what_says_nothing_of_a_hypothesis_may_not_be_called_a_stance() -> None:
    """A sentence of an unrelated claim is neutral; one of a related claim might say something, so it is not known."""
    rows = [edge(OTHER, Relation.SUPPORTS), edge(RELATED, Relation.REFUTES)]

    known = known_stances(Ground(truth()), {"band-sleep": "c_1"}, [fragment(OTHER), fragment(RELATED)], rows)

    assert known == [KnownStance("en", "neutral", "supports")]
    assert stance_shares(known) == {"en": Leading(stance_precision=Share(0, 1))}


def test_a_lookalike_says_nothing_of_what_it_looks_like() -> None:
    """Another product's figures, planted to be taken for this one's."""
    lookalike = load_truth("sleepband").lookalikes[0]
    page = Evidence(lookalike.url, lookalike.quote, "domain:x.org", is_primary=False)
    planted = truth()
    ground = Ground(replace(planted, lookalikes=(replace(lookalike, claim="band-sleep"),)))

    known = known_stances(ground, {"band-sleep": "c_1"}, [fragment(page)], [edge(page, Relation.REFUTES)])

    assert known == [KnownStance("en", "neutral", "refutes")]


def test_a_quote_on_one_page_counts_once() -> None:
    """Two fragments hold it and one was judged: that is its stance."""
    fragments = [fragment(FOR), fragment(FOR, f"{FOR.quote} Really.", number=1)]

    known = known_stances(Ground(truth()), {"band-sleep": "c_1"}, fragments, [edge(FOR, Relation.SUPPORTS, number=1)])

    assert known == [KnownStance("en", "supports", "supports")]


@pytest.mark.parametrize(
    ("relations", "real"),
    [
        ([(FOR, Relation.SUPPORTS), (AGAINST, Relation.REFUTES)], 1),
        ([(AGAINST, Relation.SUPPORTS), (FOR, Relation.REFUTES)], 0),
        ([(FOR, Relation.SUPPORTS), (OTHER, Relation.REFUTES)], 0),
    ],
    ids=["both sides as planted", "sides exchanged", "unrelated words against"],
)
def test_a_contradiction_is_real_where_planted_quotes_contradict(
    relations: list[tuple[Evidence, Relation]], real: int
) -> None:
    """That the claim is contested is not enough: what is shown must be what contests it."""
    rows = [edge(*one) for one in relations]

    found = contradiction_shares(
        Ground(truth()),
        {"c_1": {("band-sleep", "supports")}},
        {"c_1": "en"},
        [fragment(one) for one in (FOR, AGAINST, OTHER)],
        rows,
        {"c_1"},
    )

    assert found == {"en": Leading(contradictions_real=Share(real, 1))}


def test_a_claim_that_states_a_denial_is_supported_by_denials() -> None:
    """A found claim in the words of the other side; a claim that states nothing planted is not counted."""
    rows = [edge(AGAINST, Relation.SUPPORTS), edge(FOR, Relation.REFUTES)]

    found = contradiction_shares(
        Ground(truth()),
        {"c_1": {("band-sleep", "refutes")}, "c_2": set()},
        {"c_1": "en", "c_2": "en"},
        [fragment(FOR), fragment(AGAINST)],
        rows,
        {"c_1", "c_2"},
    )

    assert found == {"en": Leading(contradictions_real=Share(1, 1))}


def test_figures_add_up_and_show_their_counts() -> None:
    """Shares are added by their counts, not averaged; what was not measured is a dash."""
    both = total([Leading(verdicts_acceptable=Share(1, 2)), Leading(verdicts_acceptable=Share(5, 8))])

    assert both == Leading(verdicts_acceptable=Share(6, 10))
    assert table_rows([both])[:2] == [
        ("verdicts acceptable", "≥ 85 %", "6/10 (60%)"),
        ("asserted though false", "0", "–"),
    ]
    assert shown_share(Share(0, 4)) == "0/4 (0%)"
