"""Scores of the stance judge, with a judge whose answers are known."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra.model.edge import Relation, Stance
from lyra_bench.evaluate.stance import evaluate_stance, false_refute_rate, macro_f1

SUPPORTS, REFUTES, NEUTRAL = (0.8, 0.1, 0.1), (0.2, 0.7, 0.1), (0.1, 0.1, 0.8)
MODELS = {"small": "known@1", "large": "known@2"}
UNSURE = (0.3, 0.45, 0.25)  # refutes at argmax, below any threshold: shipped as neutral


class Known:
    """Answers as written for each premise; the large reader decides what bears on the claim."""

    def __init__(self, answers: dict[str, tuple[Relation, tuple[float, float, float]]]) -> None:
        self._answers = answers

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Stance]:
        found = [self._answers[premise] for premise, _ in pairs]
        return [
            Stance(
                label,
                max(chances),
                max(chances),
                chances,
                "known@1",
                "none",
                reader="small" if chances is NEUTRAL else "large",
            )
            for label, chances in found
        ]


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def row(premise: str, label: str, source: str = "health") -> dict[str, str]:
    return {"premise": premise, "hypothesis": "Gliptins are safe.", "label": label, "source": source}


async def test_each_source_has_its_scores(tmp_path: Path) -> None:
    """Argmax and shipped labels are scored apart; Brier and ECE are of the calibrated probabilities."""
    path = write(
        tmp_path / "gold.jsonl",
        row("安全だった", "E"),
        row("harm was seen", "C"),
        row("unrelated", "N"),
        row("doubtful", "N"),
        row("harm was seen", "C", "climate"),
    )
    judge = Known(
        {
            "安全だった": (Relation.SUPPORTS, SUPPORTS),
            "harm was seen": (Relation.REFUTES, REFUTES),
            "unrelated": (Relation.NEUTRAL, NEUTRAL),
            "doubtful": (Relation.NEUTRAL, UNSURE),
        }
    )

    result = await evaluate_stance(path, judge, model_ids=MODELS)

    assert result == {
        "models": {"small": "known@1", "large": "known@2"},
        "sources": {
            "climate": {
                "n": 1,
                "accuracy": 1.0,
                "macro_f1": 1.0,
                "macro_f1_shipped": 1.0,
                "false_refute_rate": None,
                "brier": 0.14,
                "ece": 0.3,
                "by_large_reader": 1.0,
            },
            "health": {
                "n": 4,
                "accuracy": 0.75,
                "macro_f1": round((1 + 2 / 3 + 2 / 3) / 3, 4),
                "macro_f1_shipped": 1.0,
                "false_refute_rate": 0.0,
                "brier": round((0.06 + 0.14 + 0.06 + 0.855) / 4, 4),
                "ece": round((2 * 0.2 + 0.3 + 0.45) / 4, 4),
                "by_large_reader": 0.75,
            },
        },
    }


async def test_progress_is_told(tmp_path: Path) -> None:
    """Long files report how far they are."""
    path = write(tmp_path / "gold.jsonl", *[row("unrelated", "N")] * 300)
    told: list[tuple[int, int]] = []

    await evaluate_stance(
        path,
        Known({"unrelated": (Relation.NEUTRAL, NEUTRAL)}),
        model_ids=MODELS,
        progress=lambda done, total: told.append((done, total)),
    )

    assert told == [(256, 300), (300, 300)]


def test_macro_f1_is_over_the_labels_of_the_gold() -> None:
    """A source without neutrals is not punished with a class of F1 0 that it cannot have."""
    score = macro_f1([0, 0, 1, 1], [0, 2, 1, 1])

    assert score == pytest.approx((2 / 3 + 1.0) / 2)


def test_false_refutes_are_counted_among_neutrals() -> None:
    """Only neutral evidence read as a refutation counts, not the other mistakes."""
    rate = false_refute_rate([2, 2, 2, 2, 0], [1, 0, 2, 2, 1])

    assert rate == 0.25


@pytest.mark.parametrize(
    ("second_line", "reason"),
    [
        pytest.param('{"premise": "x"', "it is not valid JSON", id="broken JSON"),
        pytest.param("[" * 100_000, "it is not valid JSON", id="endless nesting"),
        pytest.param("[1, 2]", "it is not a JSON object", id="not an object"),
        pytest.param(json.dumps(row("x", "X")), "'label' must be E, C or N, not 'X'", id="unknown label"),
        pytest.param(json.dumps(row("", "E")), "'premise' must be a text", id="empty premise"),
        pytest.param(json.dumps(row("x", "E") | {"source": 3}), "'source' must be a text", id="source no text"),
    ],
)
async def test_bad_row_is_named_by_its_line(tmp_path: Path, second_line: str, reason: str) -> None:
    """The user is told which line to correct, before anything is judged."""
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(row("x", "E")) + "\n" + second_line + "\n", "utf-8")

    with pytest.raises(InvalidParams) as caught:
        await evaluate_stance(path, Known({}), model_ids=MODELS)

    assert caught.value.message == f"gold.jsonl, line 2: {reason}."
    assert caught.value.details["line"] == 2


async def test_bytes_that_are_not_text_are_named_by_their_line(tmp_path: Path) -> None:
    """A file in another encoding is an error of that line, not a crash."""
    path = write(tmp_path / "gold.jsonl", row("unrelated", "N"))
    path.write_bytes(path.read_bytes() + "血糖".encode("shift_jis"))

    with pytest.raises(InvalidParams, match=r"gold\.jsonl, line 2: it is not UTF-8"):
        await evaluate_stance(path, Known({}), model_ids=MODELS)


async def test_line_without_an_end_is_refused_before_it_fills_the_memory() -> None:
    """An endless file is the caller's mistake too."""
    with pytest.raises(InvalidParams) as caught:
        await evaluate_stance(Path("/dev/zero"), Known({}), model_ids=MODELS)

    assert caught.value.message == "zero, line 1: it is longer than 128 MiB."


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
async def test_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    """A missing file or a directory is the caller's mistake."""
    with pytest.raises(InvalidParams, match="cannot be read"):
        await evaluate_stance(tmp_path / name, Known({}), model_ids=MODELS)


async def test_empty_file_is_refused(tmp_path: Path) -> None:
    """No rows give no score, rather than a score of nothing."""
    path = tmp_path / "gold.jsonl"
    path.write_text("\n\n", "utf-8")

    with pytest.raises(InvalidParams, match="has no rows"):
        await evaluate_stance(path, Known({}), model_ids=MODELS)
