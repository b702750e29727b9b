"""Which planted pairs were judged, and where the others were lost."""

import pytest

from lyra_bench.measure.pairing import ReadPage, TruePair, figures, true_pairs
from simweb.truth import Claim, Evidence, TableRow, Truth

URL = "https://lake.example/report"
SAID, ROW = "Catches stayed at 60 tonnes.", "Tademi Smelt 62 58"
TEXT = f"Cutting began in 2021. {SAID} {ROW}"
TRUTH = Truth(
    question={"en": "What happened?"},
    queries={"en": ("lake",)},
    hypotheses=("doubled",),
    claims=(Claim("doubled", {"en": "Catches doubled."}, (), (Evidence(URL, SAID, "lake.example", True),)),),
    copies={},
    superseded={},
    no_claims=(),
    unreachable=(),
    table_rows=(TableRow("doubled", "refutes", URL, ROW),),
)
PARAGRAPH, TABLE = f"Cutting began in 2021. {SAID}", "Lake | Fish | 2020 | 2024\n\nTademi | Smelt | 62 | 58"


def page(fragments: tuple[str, ...], *judged: tuple[str, str]) -> ReadPage:
    return ReadPage(URL, None, fragments, {"doubled": judged})


@pytest.mark.parametrize(
    ("read", "fates"),
    [
        pytest.param(
            page((PARAGRAPH, TABLE), (PARAGRAPH, PARAGRAPH), (TABLE, "Tademi Smelt 62 58")),
            ("judged", "judged"),
            id="judged",
        ),
        pytest.param(page((PARAGRAPH, TABLE)), ("not_paired", "not_paired"), id="no edge"),
        pytest.param(page(("Cutting began.",)), ("not_extracted", "not_extracted"), id="no fragment holds them"),
        pytest.param(
            page((PARAGRAPH, TABLE), (PARAGRAPH, "Cutting began in 2021."), (TABLE, "Shimo Smelt 18 37")),
            ("outside_window", "outside_window"),
            id="another part was judged",
        ),
    ],
)
def test_a_planted_sentence_and_a_row_have_a_fate(read: ReadPage, fates: tuple[str, str]) -> None:
    """The judged text must hold the words; bars between cells do not matter."""
    found = true_pairs(TRUTH, [read], {"doubled": "c_1"}, {URL: TEXT})

    assert found == [
        TruePair("doubled", "en", URL, SAID, False, fates[0]),
        TruePair("doubled", "en", URL, ROW, True, fates[1]),
    ]


def test_what_a_page_does_not_hold_is_no_true_pair() -> None:
    """Another page of the same work may hold it."""
    assert true_pairs(TRUTH, [page((PARAGRAPH,))], {"doubled": "c_1"}, {URL: "Cutting began."}) == []


def test_a_sentence_in_another_language_than_the_hypothesis_is_told_apart() -> None:
    """Such pairs are never made."""
    said = "漁獲量は60トンのままだった。"
    truth = Truth(
        **{
            name: getattr(TRUTH, name)
            for name in ("question", "queries", "hypotheses", "copies", "superseded", "no_claims", "unreachable")
        },
        claims=(Claim("doubled", {"en": "Catches doubled."}, (), (Evidence(URL, said, "lake.example", True),)),),
    )

    (found,) = true_pairs(truth, [page((said,))], {"doubled": "c_1"}, {URL: said})

    assert (found.language, found.fate) == ("ja", "across_languages")


def test_figures_by_language_kind_and_loss() -> None:
    """Shares, the number of pairs, and what was missed."""
    pairs = [
        TruePair("doubled", "en", URL, SAID, False, "judged"),
        TruePair("doubled", "en", URL, ROW, True, "not_paired"),
        TruePair("doubled", "ja", URL, "増えた。", False, "across_languages"),
    ]

    found = figures(pairs, {("f_1", "c_1"), ("f_1", "c_2"), ("f_2", "c_2")}, {"doubled": "c_1"})

    assert found == {
        "recall": {"en": {"value": 0.5, "of": "1/2"}, "ja": {"value": 0.0, "of": "0/1"}},
        "recall_of_table_rows": {"value": 0.0, "of": "0/1"},
        "lost": {"not_extracted": 0, "across_languages": 1, "not_paired": 1, "outside_window": 0},
        "pairs_judged": 3,
        "pairs_with_hypotheses": 1,
        "missed": [f"doubled (not_paired): {ROW}", "doubled (across_languages): 増えた。"],
    }
