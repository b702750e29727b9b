"""Who only retells a retracted work: the names and figures shared with it, or a study credited without a name."""

import pytest

from lyra.evidence.retractions import retells_retracted
from lyra.model.edge import EvidenceRow, Relation

CLAIM = "The Nappe band halves the errors of night nurses."
WORK = "We followed 240 night nurses at Holm Hospital; errors fell from 6.2 to 3.0 per thousand with the Nappe band."
CLAIM_JA = "刈取りでアオコの日数は6割減った。"
WORK_JA = "刈取りを行った湾では、アオコの観測日数が年間45日から18日へと60％減少した。"


def row(fragment_id: str, *, work: str | None = None, no_vote: str = "", relation: Relation = Relation.SUPPORTS):
    return EvidenceRow("c", fragment_id, f"p_{fragment_id}", f"{fragment_id}.example", relation, 0.8, work_id=work,
                       no_vote=no_vote)  # fmt: skip


RETRACTED = row("work", work="doi:1", no_vote="retracted")


@pytest.mark.parametrize(
    ("claim", "work", "text", "expected"),
    [
        pytest.param(CLAIM, WORK, "Since the nurses of Holm wear the Nappe band, errors are half.", True, id="a name"),
        pytest.param(CLAIM, WORK, "Errors fell from 6.2 to 3.0 with the Nappe band.", True, id="figures"),
        pytest.param(CLAIM, WORK, "According to a study the Nappe band halves errors.", True, id="an unnamed study"),
        pytest.param(CLAIM, WORK, "On our ward errors halved with the Nappe band.", False, id="its own words"),
        pytest.param(CLAIM, WORK, "At Oxton, errors halved with the Nappe band.", False, id="another place"),
        pytest.param(CLAIM_JA, WORK_JA, "45日あったアオコの日が18日に減った。", True, id="figures, Japanese"),
        pytest.param(CLAIM_JA, WORK_JA, "学術論文がアオコの6割減を明らかにした。", True, id="an unnamed paper"),
        pytest.param(CLAIM_JA, WORK_JA, "市の観測でもアオコの日は6割減った。", False, id="its own words, Japanese"),
    ],
)
def test_a_text_that_retells_a_retracted_work_is_found(claim: str, work: str, text: str, *, expected: bool) -> None:
    """What the claim itself says is no sign, in either language."""
    rows = [RETRACTED, row("page")]

    found = retells_retracted(claim, rows, {"work": work, "page": text})

    assert found == (frozenset({"page"}) if expected else frozenset())


def test_who_retells_a_standing_work_too_keeps_the_vote() -> None:
    """A second study at another place speaks on the same side."""
    standing = "In 310 nurses at Brade Infirmary errors fell by half with the Nappe band."
    rows = [RETRACTED, row("other", work="doi:2"), row("page")]
    texts = {"work": WORK, "other": standing, "page": "Nurses at Holm and at Brade err half as often, a study says."}

    assert retells_retracted(CLAIM, rows, texts) == frozenset()


def test_an_unnamed_study_may_be_one_that_stands() -> None:
    """With another work on that side nobody knows which one is meant."""
    rows = [RETRACTED, row("other", work="doi:2"), row("page")]
    texts = {"work": WORK, "other": "Errors fell by half.", "page": "A study found half the errors."}

    assert retells_retracted(CLAIM, rows, texts) == frozenset()


def test_the_other_side_is_not_concerned() -> None:
    """Who contradicts a retracted work keeps the vote."""
    rows = [RETRACTED, row("page", relation=Relation.REFUTES)]
    texts = {"work": WORK, "page": "At Holm errors did not fall, a study of 240 nurses found."}

    assert retells_retracted(CLAIM, rows, texts) == frozenset()


def test_without_a_retracted_work_nobody_retells_one() -> None:
    """A standing work's retellings are a matter of counting sources."""
    rows = [row("work", work="doi:1"), row("page")]

    assert retells_retracted(CLAIM, rows, {"work": WORK, "page": "A study at Holm found it."}) == frozenset()
