"""`lyra calibrate` and `lyra inspect stance` on a command line."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from lyra.cli.main import main


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def lyra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs the command in this process, with a data directory of its own; logging is put back afterwards."""
    monkeypatch.setenv("LYRA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["lyra", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    yield run
    logging.getLogger().handlers, logging.getLogger().level = handlers, level
    structlog.reset_defaults()


def answer(done: Done) -> dict[str, Any]:
    """Stdout, which must be one JSON object and nothing else."""
    fields: dict[str, Any] = json.loads(done.stdout)
    return fields


def test_samples_evaluations_and_statistics(lyra: Run, tmp_path: Path) -> None:
    """What one command adds, the next counts."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"prediction": 0.8, "label": true}\n{"prediction": 0.6, "label": 0}\n', "utf-8")

    added = answer(
        lyra("calibrate", "add", "--source", "llm_extract", "--prediction", "0.8", "--actual", "true", "--json")
    )
    evaluated = answer(lyra("calibrate", "evaluate", str(gold), "--source", "llm_extract", "--json"))
    listed = answer(lyra("calibrate", "evaluations", "--json"))
    drawn = answer(lyra("calibrate", "diagram", "--source", "llm_extract", "--json"))
    stats = answer(lyra("calibrate", "stats", "--json"))

    assert (added["ok"], added["pending_count"]) == (True, 1)
    assert (evaluated["brier_score"], evaluated["samples_evaluated"]) == (0.2, 2)
    assert (listed["total_count"], listed["evaluations"][0]["id"]) == (1, evaluated["evaluation_id"])
    assert (drawn["evaluation_id"], drawn["overall_ece"]) == (evaluated["evaluation_id"], 0.4)
    assert [(one["source"], one["sample_count"]) for one in stats["sources"]] == [("nli_judge", 0), ("llm_extract", 1)]


def test_a_stance_is_given_as_three_probabilities(lyra: Run) -> None:
    """The option is repeated, in the order supports, refutes, neutral."""
    three = ("--prediction", "0.7", "--prediction", "0.2", "--prediction", "0.1")

    done = lyra("calibrate", "add", *three, "--actual", "neutral", "--context", "試験計画の記述", "--json")

    assert (done.returncode, answer(done)["pending_count"]) == (0, 1)


def test_tables_for_people(lyra: Run) -> None:
    """Without --json every command prints a table."""
    lyra("calibrate", "add", "--prediction", "0.8", "--actual", "true")

    shown = lyra("calibrate", "stats")

    assert shown.returncode == 0
    assert [word in shown.stdout for word in ("nli_judge", "llm_extract", "Brier", "0.04")] == [True] * 4


@pytest.mark.parametrize(
    ("arguments", "exit_code", "error_code", "message"),
    [
        pytest.param(
            ("add", "--actual", "true"),
            2,
            "INVALID_PARAMS",
            "Either --edge or --prediction must be given.",
            id="neither",
        ),
        pytest.param(
            ("add", "--actual", "neutral", "--edge", "e_0"),
            2,
            "INVALID_PARAMS",
            "There is no stance edge 'e_0'.",
            id="edge",
        ),
        pytest.param(
            ("add", "--actual", "true", "--prediction", "nan"),
            2,
            "INVALID_PARAMS",
            "A prediction must be a number from 0 to 1, not nan.",
            id="NaN",
        ),
        pytest.param(
            ("add", "--actual", "true", "--prediction", "0.5", "--language", "fr"),
            2,
            "INVALID_PARAMS",
            "The language 'fr' has no calibration.",
            id="language",
        ),
        pytest.param(
            ("rollback", "--source", "nli_judge"),
            1,
            "CALIBRATION_ERROR",
            "The source nli_judge uses its bundled calibration alone; there is nothing to roll back.",
            id="nothing to roll back",
        ),
        pytest.param(
            ("rollback", "--source", "nli_judge", "--version", "7"),
            2,
            "INVALID_PARAMS",
            "Version 7 of nli_judge does not exist for the weights in use.",
            id="unknown version",
        ),
        pytest.param(
            ("diagram",),
            1,
            "CALIBRATION_ERROR",
            "The source nli_judge has neither evaluations nor samples.",
            id="empty",
        ),
    ],
)
def test_errors_are_json_with_an_exit_code(
    lyra: Run, arguments: tuple[str, ...], exit_code: int, error_code: str, message: str
) -> None:
    """A program reads the code on stdout, a person the sentence on stderr."""
    done = lyra("calibrate", *arguments, "--json")

    fields = answer(done)
    assert (done.returncode, fields["error_code"], fields["error"]) == (exit_code, error_code, message)
    assert message in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "gold.jsonl has no rows.", id="empty"),
        pytest.param('{"prediction": 0.5}\n', "gold.jsonl, line 1: it needs 'prediction' and 'label'.", id="no label"),
        pytest.param("0.5 1\n", "gold.jsonl, line 1: it is not valid JSON.", id="no JSON"),
        pytest.param('{"prediction": 2, "label": 1}', "Number 0: a prediction must be a number from 0 to 1", id="2"),
    ],
)
def test_unfit_files_are_refused(lyra: Run, tmp_path: Path, content: str, message: str) -> None:
    """The line or the number of the bad row is named, and nothing is stored."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text(content, "utf-8")

    done = lyra("calibrate", "evaluate", str(gold), "--json")

    assert (done.returncode, message in answer(done)["error"]) == (2, True)
    assert answer(lyra("calibrate", "evaluations", "--json"))["total_count"] == 0


def test_a_stance_is_looked_into(lyra: Run) -> None:
    """Everything that led to the label: probabilities before and after calibration, thresholds, readings, versions."""
    premise = "試験には16,492人が参加した。サキサグリプチン群では心不全による入院が増えた。"

    done = lyra(
        "inspect", "stance", "--premise", premise, "--hypothesis", "サキサグリプチンは心不全の入院を増やす。", "--json"
    )

    row = answer(done)
    assert list(row) == [
        "ok", "premise", "hypothesis", "label", "confidence", "raw_probabilities", "probabilities", "thresholds",
        "rule", "windows", "reader", "answers", "model", "calibration_version",
    ]  # fmt: skip
    assert (row["windows"], list(row["answers"])) == ([premise], ["bears_raw", "side_raw", "bears", "side"])
    assert row["probabilities"]["neutral"] == pytest.approx(1 - row["answers"]["bears"], abs=1e-4)
    assert (sum(row["probabilities"].values()), row["confidence"]) == (
        pytest.approx(1, abs=1e-3),
        row["probabilities"][row["label"]],
    )


def test_many_pairs_come_from_a_file_one_object_a_line(lyra: Run, tmp_path: Path) -> None:
    """A megabyte of text, emoji alone and half a character are judged like any other."""
    file = tmp_path / "pairs.jsonl"
    premises = ["It rained. " * 90_000, "🎉🎉🎉", "A \ud800 B."]
    file.write_text("".join(json.dumps({"premise": one, "hypothesis": "It rained."}) + "\n" for one in premises))

    done = lyra("inspect", "stance", "--file", str(file), "--json")

    labels = [json.loads(line)["label"] for line in done.stdout.splitlines()]
    assert (done.returncode, [label in {"supports", "refutes", "neutral"} for label in labels]) == (0, [True] * 3)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="nothing"),
        pytest.param(("--premise", "It rained."), id="no hypothesis"),
        pytest.param(("--premise", " ", "--hypothesis", "It rained."), id="empty premise"),
        pytest.param(("--file", "pairs.jsonl", "--premise", "It rained."), id="both ways"),
        pytest.param(("--file", "no-such-file.jsonl"), id="missing file"),
    ],
)
def test_looking_into_nothing_is_refused(lyra: Run, arguments: tuple[str, ...]) -> None:
    """Exit code 2 and a typed error."""
    done = lyra("inspect", "stance", *arguments, "--json")

    assert (done.returncode, answer(done)["error_code"]) == (2, "INVALID_PARAMS")
