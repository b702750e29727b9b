"""What a perfect reviewer knows, and how the figures of topics are put together."""

import pytest

from lyra.model.edge import Relation
from lyra_bench.measure.review import by_language, known_relations
from simweb.truth import Claim, Evidence, TableRow, Truth

FOR, AGAINST = "Saxagliptin raised hospitalisation for heart failure.", "Saxagliptin did not raise it."


@pytest.fixture
def truth() -> Truth:
    def at(url: str, quote: str) -> Evidence:
        return Evidence(url, quote, "publisher", is_primary=False)

    claims = (
        Claim("hf", {"en": "x"}, (at("https://a.example/1", FOR),), (at("https://b.example/1", AGAINST),)),
        Claim("both", {"en": "y"}, (at("https://a.example/1", FOR),), (at("https://a.example/1", AGAINST),)),
    )
    rows = (TableRow("hf", "refutes", "https://c.example/1", "Saxagliptin | 1.0"),)
    return Truth({}, {}, ("hf", "both"), claims, {}, {}, (), (), table_rows=rows)


def edge(name: str, claim_id: str, url: str, text: str) -> dict[str, object]:
    return {"edge_id": name, "claim_id": claim_id, "url": url, "work_id": None, "text": text}


def test_planted_quotes_decide_and_anything_else_is_neutral(truth: Truth) -> None:
    """Sentences and rows of tables, on their own page and for their own claim."""
    rows = [
        edge("e_for", "c_hf", "https://a.example/1", f"Before. {FOR}"),
        edge("e_against", "c_hf", "https://b.example/1", AGAINST),
        edge("e_table", "c_hf", "https://c.example/1", "Drug | Ratio\nSaxagliptin  | 1.0"),
        edge("e_elsewhere", "c_hf", "https://d.example/1", FOR),
        edge("e_other", "c_hf", "https://a.example/1", "It was a large trial."),
    ]

    found = known_relations(truth, {"hf": "c_hf", "both": "c_both"}, rows)

    assert found == {
        "e_for": Relation.SUPPORTS,
        "e_against": Relation.REFUTES,
        "e_table": Relation.REFUTES,
        "e_elsewhere": Relation.NEUTRAL,
        "e_other": Relation.NEUTRAL,
    }


def test_a_text_with_both_sides_is_left_alone(truth: Truth) -> None:
    """Nobody can say one thing of it."""
    rows = [edge("e_both", "c_both", "https://a.example/1", f"{FOR} {AGAINST}")]

    assert known_relations(truth, {"hf": "c_hf", "both": "c_both"}, rows) == {}


def test_languages_count_every_hypothesis_alike() -> None:
    """Six of eight and one of two are seven of ten."""

    def one(language: str, hypotheses: int, share: float) -> dict[str, object]:
        shares = {str(after): share for after in (0, 5, 10, 20, 40)}
        orders = {"queue": shares, "random": shares}
        return {"language": language, "hypotheses": hypotheses, "all_reviewed": share, **orders}

    told = by_language({"a": one("en", 8, 0.75), "b": one("en", 2, 0.5), "c": one("ja", 4, 0.25)})

    assert [(name, each["hypotheses"], each["queue"]["20"], each["all_reviewed"]) for name, each in told.items()] == [
        ("en", 10, 0.7, 0.7),
        ("ja", 4, 0.25, 0.25),
    ]
