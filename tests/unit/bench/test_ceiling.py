"""Verdicts on one planted hypothesis, with the stances of its two texts as judged, and as planted."""

from dataclasses import replace

import pytest

from lyra.evidence.assess import assess
from lyra.model.edge import EvidenceRow, NoVote, Relation
from lyra_bench.measure.ceiling import acceptable_if_read_as_planted
from lyra_bench.measure.measures import Share
from simweb.truth import Claim, Evidence, Truth, load_truth

FOR = Evidence("https://a.org/1", "The band lengthens sleep by an hour.", "domain:a.org", is_primary=False)
AGAINST = tuple(
    Evidence(f"https://b{number}.org/1", "The band does not lengthen sleep.", f"domain:b{number}.org", is_primary=False)
    for number in range(3)
)
NEUTRAL, SUPPORTS, REFUTES = Relation.NEUTRAL, Relation.SUPPORTS, Relation.REFUTES


def truth() -> Truth:
    claim = Claim("sleep", {"en": "The band lengthens sleep."}, (FOR,), AGAINST, "false", ("likely_false",))
    return replace(load_truth("sleepband"), claims=(claim,), hypotheses=("sleep",), lookalikes=(), table_rows=())


def edge(one: Evidence, relation: Relation) -> EvidenceRow:
    return EvidenceRow("c_1", f"f_{one.url}", f"p_{one.url}", one.source.removeprefix("domain:"), relation, 0.9)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param((SUPPORTS, REFUTES, NEUTRAL, NEUTRAL), {"all": 1, "missed": 1, "wrong": 0}, id="two were missed"),
        pytest.param((SUPPORTS, REFUTES, SUPPORTS, REFUTES), {"all": 1, "missed": 0, "wrong": 1}, id="one was wrong"),
        pytest.param((SUPPORTS, SUPPORTS, NEUTRAL, NEUTRAL), {"all": 1, "missed": 0, "wrong": 0}, id="only both help"),
    ],
)
def test_planted_stances_show_whose_fault_a_verdict_is(said: tuple[Relation, ...], expected: dict[str, int]) -> None:
    """What was missed and what was wrong are put right apart and together; nothing else changes."""
    rows = [edge(one, relation) for one, relation in zip((FOR, *AGAINST), said, strict=True)]
    fragments = {f"f_{one.url}": {"url": one.url, "work_id": None, "text": one.quote} for one in (FOR, *AGAINST)}

    found = acceptable_if_read_as_planted(truth(), rows, fragments, {"sleep": "c_1"}, {"c_1": assess("c_1", rows)}, ())

    assert found == {which: Share(right, 1) for which, right in expected.items()}


def test_a_retelling_that_is_put_in_has_no_vote() -> None:
    """Who only retells a retracted paper is found as in the product, also where the readers had missed that text."""
    study = Evidence("https://j.org/1", "The band lengthens sleep by 58 minutes.", "doi:10.5555/1", is_primary=True)
    retold = Evidence("https://n.org/1", "A study shows 58 minutes more sleep.", "doi:10.5555/1", is_primary=False)
    claim = Claim("sleep", {"en": "The band lengthens sleep."}, (study, retold), AGAINST, "false", ("likely_false",))
    world = replace(load_truth("sleepband"), claims=(claim,), hypotheses=("sleep",), lookalikes=(), table_rows=())
    rows = [
        replace(edge(study, SUPPORTS), work_id="doi:10.5555/1", no_vote=NoVote.RETRACTED),
        edge(retold, NEUTRAL),
        edge(AGAINST[0], REFUTES),
    ]
    fragments = {
        f"f_{one.url}": {"url": one.url, "work_id": None, "text": one.quote} for one in (study, retold, AGAINST[0])
    }

    found = acceptable_if_read_as_planted(world, rows, fragments, {"sleep": "c_1"}, {"c_1": assess("c_1", rows)}, ())

    assert found["missed"] == Share(1, 1)
