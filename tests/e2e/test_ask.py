"""`lyra ask` as a person uses it: one command from a question to verdicts with words on both sides."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simweb.truth import Truth

LIMITS = ("--max-pages", "2", "--engine", "duckduckgo", "--source", "web")


@dataclass(frozen=True)
class Asked:
    data_dir: Path
    hypothesis: str
    done: Any
    task_id: str


@pytest.fixture(scope="module")
def asked(lyra: Callable[..., Any], truth: Truth, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """A question with one hypothesis, asked on the simulated web."""
    data_dir, text = tmp_path_factory.mktemp("asked"), truth.claim(truth.hypotheses[0]).text["en"]
    done = lyra("ask", truth.question["en"], "-H", text, *LIMITS, data_dir=data_dir, LYRA_JOBS__CONCURRENCY="1")
    return Asked(data_dir, text, done, done.out.partition("Task: ")[2].split()[0])


def test_question_ends_with_a_verdict_and_its_words(asked: Asked, truth: Truth) -> None:
    """The hypothesis, its verdict in words, the range of its confidence, who says so, and what comes next."""
    lines = asked.done.out.splitlines()

    assert (asked.done.code, lines[0], lines[2]) == (0, truth.question["en"], f"1. {asked.hypothesis}")
    assert lines[3] == "   Well supported: the evidence found speaks for it."
    assert lines[4].startswith("   Confidence 0.")
    assert lines[5] == "   For it:"
    assert lines[-1] == f"The whole evidence as a report: lyra --data-dir {asked.data_dir} report {asked.task_id}"


def test_progress_is_shown_beside_the_answer(asked: Asked, truth: Truth) -> None:
    """On stderr, so that the answer can be kept; the question and the hypothesis were searched as they stand."""
    lines = asked.done.err.splitlines()

    ended = [line for line in lines if " done: " in line]
    assert [truth.question["en"] in line for line in ended] == [True, False]
    assert [asked.hypothesis in line for line in ended] == [False, True]


def test_same_answer_for_programs(asked: Asked, lyra_here: Callable[..., Any]) -> None:
    """`--task` shows it again without a search; every quote has its source."""
    answer = lyra_here("ask", "--task", asked.task_id, "--json", data_dir=asked.data_dir)

    (row,) = answer.json["hypotheses"]
    assert (answer.code, answer.err, answer.json["ok"], answer.json["is_finished"]) == (0, "", True, True)
    assert (row["text"], row["verdict"]) == (asked.hypothesis, "well_supported")
    assert row["interval"][0] < row["confidence"] < row["interval"][1]
    assert {quote["url"].partition("://")[0] for quote in row["supports"]} == {"https"}
    assert [one["query"] for one in answer.json["searches"]].count(asked.hypothesis) == 1


def test_same_answer_in_japanese(asked: Asked) -> None:
    """Lyra's own sentences; the hypothesis and the quotes stay in the words they were written in."""
    words = ["--lang", "ja", "--data-dir", str(asked.data_dir), "ask", "--task", asked.task_id]

    done = subprocess.run(
        [sys.executable, "-m", "lyra", *words],
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[2] == f"1. {asked.hypothesis}"
    assert lines[3] == "   十分に支持されています。見つかった根拠は一致して支持しています。"
    assert lines[5] == "   支持する記述:"
    assert lines[-1].startswith("すべての根拠を報告書にするには: lyra --data-dir ")


def test_task_and_search_show_hypotheses_too(asked: Asked, lyra_here: Callable[..., Any]) -> None:
    """`lyra task show` lists them before the searches."""
    shown = lyra_here("task", "show", asked.task_id, data_dir=asked.data_dir)

    headings, row = shown.out.splitlines()[3:5]
    assert headings.split("\t") == ["verdict", "confidence", "interval", "supporting_count", "refuting_count", "text"]
    assert (row.split("\t")[0], row.split("\t")[-1]) == ("well_supported", asked.hypothesis)


def test_ctrl_c_leaves_a_task_that_goes_on(
    start: Callable[..., "subprocess.Popen[str]"], lyra: Callable[..., Any], truth: Truth, tmp_path: Path
) -> None:
    """The command that goes on is named; what was begun is kept, and shown as unfinished."""
    process = start("ask", truth.question["en"], *LIMITS, data_dir=tmp_path)
    assert process.stderr is not None
    process.stderr.readline()  # the first progress
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)

    again = told.splitlines()[-1].removeprefix(f"Go on and see the answer: lyra --data-dir {tmp_path} ").split()
    shown = lyra(*again, "--wait", "0", "--json", data_dir=tmp_path)

    assert (process.returncode, again[:2]) == (130, ["ask", "--task"])
    assert (shown.code, shown.json["hypotheses"]) == (0, [])
    assert shown.json["missing"][0] == "No hypothesis was given, so there is no verdict on the question."


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("ask",), "Give a question, or with --task one that was asked before."),
        (("ask", "q", "--task", "task_000000000000"), "Give a question, or with --task one that was asked before."),
        (("ask", "--task", "task_000000000000", "-H", "x"), "A question that was asked before has its hypotheses."),
        (("ask", "Is it safe?", "--engine", "askjeeves"), "There is no engine 'askjeeves'."),
    ],
    ids=["nothing", "both", "new hypothesis", "unknown engine"],
)
def test_wrong_arguments_are_refused(
    lyra_here: Callable[..., Any], tmp_path: Path, words: tuple[str, ...], error: str
) -> None:
    """Before anything is written; the exit code is that of wrong arguments."""
    done = lyra_here(*words, "--json", data_dir=tmp_path)

    assert (done.code, done.json["error"]) == (2, error)


def test_web_that_cannot_be_reached_is_an_error(lyra: Callable[..., Any], tmp_path: Path) -> None:
    """Not an answer without evidence: the error of the search, with the task it belongs to."""
    done = lyra(
        "ask", "Are gliptins safe?", *LIMITS, "--source", "web", "--json",
        data_dir=tmp_path, LYRA_NETWORK__PROXY="http://127.0.0.1:9",
    )  # fmt: skip

    assert (done.code, done.json["error_code"]) == (4, "NETWORK_UNAVAILABLE")
    assert done.json["details"]["task_id"].startswith("task_")
