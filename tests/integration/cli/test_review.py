"""`lyra review`: the queue, single reviews, and a walk through it with words typed in."""

import asyncio
import io
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lyra.app import Lyra as App
from lyra.ids import derived_id
from lyra.model.edge import JudgedPart, JudgedText, PartRole
from lyra.research.assessing import Assessor
from lyra.settings import Settings
from lyra.storage import judged_texts
from tests.integration.calibration.conftest import store_edges

from .conftest import Lyra

CLAIM = "DPP-4阻害薬は心不全による入院を増やす。"
ENGLISH = "Gliptins raise hospitalisation for heart failure."
TASK, OTHER = derived_id("task", CLAIM)[:17], derived_id("task", ENGLISH)[:17]


@pytest.fixture
def edges(home: Path) -> list[str]:
    """Three supports of a Japanese claim and one of an English claim in another task, as a search leaves them."""
    return asyncio.run(_store(home))


async def _store(home: Path) -> list[str]:
    async with App.open(Settings(data_dir=home)) as lyra:
        own = await lyra.db.write(store_edges, 3, "", CLAIM, (0.7, 0.2, 0.1))
        own += await lyra.db.write(store_edges, 1, "", ENGLISH, (0.8, 0.1, 0.1))
        for text, task_id in ((CLAIM, TASK), (ENGLISH, OTHER)):
            assessor = Assessor(lyra.parts, task_id)
            await assessor.group_pages()
            await assessor.assess([derived_id("c", text)])
            await assessor.update_source_influence()
        return own


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """What a person types, line by line, until the end of input."""
    text = "".join(f"{line}\n" for line in lines)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))


def relations(lyra: Lyra) -> list[tuple[str, float]]:
    rows = lyra("query", "select relation, nli_confidence from edges order by relation, nli_confidence", "--json").json
    return [(row["relation"], row["nli_confidence"]) for row in rows["rows"]]


def test_the_queue_is_listed_for_programs_and_people(lyra: Lyra, edges: list[str]) -> None:
    """One row: three texts of one publisher with one relation are one source."""
    done = lyra("review", TASK, "--list", "--json")
    shown = lyra("review", TASK, "--list")

    (row,) = done.json["queue"]
    told = ("relation", "probability", "turns_verdict", "claim_text", "edges", "source", "reader")
    assert {name: row[name] for name in told} == {
        "relation": "supports",
        "probability": 0.7,
        "turns_verdict": True,
        "claim_text": CLAIM,
        "edges": 3,
        "source": "domain:pmda.go.jp",
        "reader": None,
    }
    assert (row["edge_id"] in edges, shown.out.splitlines()[1].split("\t")[0]) == (True, row["edge_id"])


def test_one_edge_is_set_and_taken_back(lyra: Lyra, edges: list[str]) -> None:
    """With reason and reviewer; the answers tell relation and verdict."""
    words = ("--reason", "計画のみ", "--reviewer", "小田", "--json")

    said = lyra("review", TASK, "--set", edges[0], "neutral", *words)
    kept = lyra("query", "select edge_id, actual, reason, reviewer from reviews", "--json").json["rows"]
    undone = lyra("review", TASK, "--undo", edges[0], "--json")

    assert (said.json["ok"], said.json["relation"], said.json["edge_id"]) == (True, "neutral", edges[0])
    assert kept == [{"edge_id": edges[0], "actual": "neutral", "reason": "計画のみ", "reviewer": "小田"}]
    assert (undone.json["ok"], undone.json["relation"]) == (True, "supports")
    assert relations(lyra) == [("supports", 0.7)] * 3 + [("supports", 0.8)]


def test_a_walk_takes_words_in_both_languages(lyra: Lyra, edges: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A word with its reason, a Japanese word, a full-width letter; then nothing is left."""
    typed(monkeypatch, "n only a plan", "反証 別の薬", "Ｓ")

    done = lyra("review", TASK, "--json")

    assert [one["relation"] for one in done.json["done"]] == ["neutral", "refutes", "supports"]
    assert "Nothing is left to review." in done.err
    reasons = lyra("query", "select reason, reviewer from reviews order by seq", "--json").json["rows"]
    assert [(row["reason"], row["reviewer"]) for row in reasons] == [
        ("only a plan", "person"),
        ("別の薬", "person"),
        ("", "person"),
    ]


def test_a_walk_shows_claim_quote_source_and_result(
    lyra: Lyra, edges: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the keys, in the language of the claim."""
    typed(monkeypatch, "q")

    done = lyra("review", TASK)

    lines = done.err.splitlines()
    assert lines[1].startswith(f"Claim   {CLAIM}  [")
    assert lines[2].startswith(f"Quote   {CLAIM} 第")
    assert lines[4] == "Result  supports 0.70 · another relation would turn the verdict"
    assert lines[6].startswith("s = 支持, r = 反証")
    assert (done.code, done.out) == (0, "Nothing was reviewed.\n")


def test_a_walk_shows_what_was_read_beside_the_quote(
    lyra: Lyra, edges: list[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The title in square brackets; `--list` shows the same."""
    asyncio.run(_give_title(home, "Trial plan", "It rose."))
    typed(monkeypatch, "q")

    walked = lyra("review", TASK)
    listed = lyra("review", TASK, "--list", "--json")

    assert walked.err.splitlines()[2] == "Quote   [Trial plan.] It rose."
    assert listed.json["queue"][0]["in_context"] == "[Trial plan.] It rose."


async def _give_title(home: Path, title: str, quote: str) -> None:
    """Every edge keeps that its reader was given the title before these words."""
    start = len(title) + 2
    parts = (JudgedPart(PartRole.TITLE, 0, len(title)), JudgedPart(PartRole.DECIDING, start, start + len(quote)))
    judged = judged_texts.to_column(JudgedText(f"{title}. {quote}", parts))
    async with App.open(Settings(data_dir=home)) as lyra:
        await lyra.db.write(lambda c: c.execute("update edges set judged_text = ?", (judged,)).fetchall())


def test_skipping_undoing_and_wrong_words(lyra: Lyra, edges: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong word asks again, Enter passes on, undo takes the last review back, the end of input leaves."""
    typed(monkeypatch, "u", "maybe", "n", "undo", "n", "")

    done = lyra("review", TASK, "--json")

    assert [one["relation"] for one in done.json["done"]] == ["neutral", "supports", "neutral"]
    assert ("There is nothing to undo." in done.err, done.code) == (True, 0)
    assert relations(lyra) == [("neutral", 0.98), ("supports", 0.7), ("supports", 0.7), ("supports", 0.8)]


def test_a_reason_that_is_too_long_is_asked_again(
    lyra: Lyra, edges: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written of it, and the same edge waits."""
    typed(monkeypatch, f"n {'x' * 2001}", "n too long", "q")

    done = lyra("review", TASK, "--json")

    assert [one["relation"] for one in done.json["done"]] == ["neutral"]
    assert "reason has 2001 characters; at most 2000 are taken." in done.err


def test_only_hypotheses_or_one_claim(lyra: Lyra, edges: list[str]) -> None:
    """These claims were found, so that of hypotheses there is nothing to review."""
    none = lyra("review", TASK, "--list", "--hypotheses", "--json").json["queue"]
    own = lyra("review", TASK, "--list", "--claim", derived_id("c", CLAIM), "--json").json["queue"]
    other = lyra("review", TASK, "--list", "--claim", derived_id("c", ENGLISH), "--json").json["queue"]

    assert (none, len(own), other) == ([], 1, [])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        pytest.param(("task_none", "--list"), "TASK_NOT_FOUND", "There is no task 'task_none'.", id="unknown task"),
        pytest.param((TASK, "--set", "e_0", "neutral"), "INVALID_PARAMS", "There is no stance edge 'e_0'.", id="edge"),
        pytest.param((TASK, "--set", "e_0", "perhaps"), "INVALID_PARAMS", "'perhaps' is not a stance.", id="stance"),
        pytest.param((TASK, "--undo", "e_0"), "INVALID_PARAMS", "There is no stance edge 'e_0'.", id="undo"),
        pytest.param(
            (TASK, "--list", "--undo", "e_0"),
            "INVALID_PARAMS",
            "--list, --set and --undo exclude one another.",
            id="two things at once",
        ),
    ],
)
def test_bad_calls_end_in_a_typed_error(
    lyra: Lyra, edges: list[str], words: tuple[str, ...], code: str, message: str
) -> None:
    """One sentence with its code, on stdout where JSON was asked for."""
    done = lyra("review", *words, "--json")

    assert (done.json["error_code"], done.json["error"]) == (code, message)


def test_an_edge_of_another_task_is_refused(lyra: Lyra, edges: list[str]) -> None:
    """A task that was named means its own edges."""
    done = lyra("review", TASK, "--set", edges[3], "neutral", "--json")

    assert done.json["error"] == f"The edge {edges[3]!r} belongs to another task, {OTHER}."
    assert lyra("query", "select count(*) as n from reviews", "--json").json["rows"] == [{"n": 0}]


def test_ctrl_c_keeps_what_was_said(lyra: Lyra, edges: list[str], home: Path) -> None:
    """Every answer is written at once: what came before the interrupt holds, and nothing is half."""
    words = [sys.executable, "-m", "lyra", "--data-dir", str(home), "review", TASK]
    process: Any = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b"n one\n")
    process.stdin.flush()
    lines = _until(process.stderr, b"the claim is")

    process.send_signal(signal.SIGINT)

    code = process.wait(timeout=30)
    assert (code, lines) == (130, 1)
    assert lyra("query", "select actual, reason, state from reviews", "--json").json["rows"] == [
        {"actual": "neutral", "reason": "one", "state": "in_force"}
    ]


def _until(stream: Any, words: bytes) -> int:
    """Read lines until the answer is reported and the next edge's keys are shown; how many answers there were."""
    reported = 0
    for line in stream:
        reported += words in line
        if reported and "s = 支持".encode() in line:
            break
    return reported
