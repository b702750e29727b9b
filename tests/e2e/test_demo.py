"""`lyra demo`: what a stranger runs first."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from simweb.truth import Truth, load_truth


@dataclass(frozen=True)
class Shown:
    """A demonstration that has ended: what it printed, and where its data is."""

    done: Any
    home: Path


@pytest.fixture(scope="module")
def shown(lyra: Any, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """A short demonstration of the first topic."""
    home = tmp_path_factory.mktemp("demonstration") / "demo"
    return Shown(lyra("demo", "--queries", "2", "--keep", str(home), COLUMNS="200"), home)


def test_the_demonstration_runs_to_its_end(shown: Shown, truth: Truth) -> None:
    """Offline, exit code 0: a session over stdio, a contradiction's two sides, a report, found against planted."""
    home, done = shown.home, shown.done

    (report,) = (path for path in (home / "reports").iterdir() if ".appendix" not in path.suffixes)
    stopped = [line for line in done.out.splitlines() if line.startswith("stop_task → completed")]
    asked = [query for (query,) in _ask(home, "select query from queries order by created_at")]
    sides = re.findall(r"^  (?:for    |against) “(.*)”$", done.out, re.MULTILINE)
    kept = [json.loads(text) for (text,) in _ask(home, "select judged_text from edges where judged_text is not null")]
    assert (done.code, done.err) == (0, "")
    assert sides
    assert set(sides) <= {one.get("marked", one["text"]) for one in kept}
    assert "Connected over stdio; tools: create_task, get_status, stop_task, search" in done.out
    assert asked == [truth.queries["en"][0], truth.queries["ja"][0], truth.queries["refute"][0]]
    assert len(stopped) == 1
    assert "Hypotheses: texts found for/against, independent sources, and what was planted" in done.out
    assert "Found against planted" in done.out
    assert "claims taken from pages that hold none" in done.out
    assert "What next:" in done.out
    assert f"The report skeleton: {report}" in done.out
    assert report.read_text().startswith(f"# {truth.question['en']}\n")


def test_the_demonstration_ends_with_what_users_see(shown: Shown, truth: Truth) -> None:
    """The seven leading figures of the benchmark stand after the last session; verdicts are those of the graph."""
    home, done = shown.home, shown.done

    end = done.out[done.out.index("What users see") :]
    figures = {cells[1]: cells[3] for cells in map(_cells, end.splitlines()) if len(cells) == 5}
    verdicts = _ask(home, "select verdict from claims where is_hypothesis = 1 order by seq")
    acceptable = [truth.claim(name).acceptable_verdicts for name in truth.hypotheses]
    right = sum(verdict in known for (verdict,), known in zip(verdicts, acceptable, strict=True))
    assert done.code == 0
    assert list(figures) == [
        "verdicts acceptable",
        "asserted though false",
        "true and asserted",
        "stances given that are right",
        "stances found",
        "contradictions shown that are real",
        "independent sources as judged, exact",
    ]
    assert figures["verdicts acceptable"].startswith(f"{right}/{len(acceptable)} (")
    assert figures["independent sources as judged, exact"].split(" ")[0].endswith(f"/{len(acceptable)}")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("│")]


def test_the_japanese_topic_is_researched_in_japanese(lyra: Any, tmp_path: Path) -> None:
    """Question, hypotheses, queries and both sides of a contradiction are Japanese."""
    home = tmp_path / "demo"
    kosodate = load_truth("kosodate")

    done = lyra("demo", "kosodate", "--queries", "1", "--keep", str(home), COLUMNS="200")

    asked = [query for (query,) in _ask(home, "select query from queries order by created_at")]
    hypotheses = [text for (text,) in _ask(home, "select claim_text from claims where is_hypothesis = 1 order by seq")]
    assert (done.code, done.err) == (0, "")
    assert asked == [kosodate.queries["ja"][0], kosodate.queries["refute"][0]]
    assert hypotheses == [kosodate.claim(name).text["ja"] for name in kosodate.hypotheses]
    assert kosodate.question["ja"] in done.out
    assert "A contradiction (controversy" in done.out


def test_an_unknown_topic_is_refused_before_anything_starts(lyra: Any) -> None:
    """Exit code 2, with the topics there are."""
    done = lyra("demo", "astrology")

    assert (done.code, done.out) == (2, "")
    assert done.err == "lyra: The simulated web has no topic 'astrology'.\n      Use one of: dpp4, kosodate, alp2.\n"


def test_the_demonstration_burdens_nobody_outside(lyra: Any, tmp_path: Path) -> None:
    """Its settings only reach its own proxy on loopback: no name of the journal lies outside the simulated web."""
    from lyra_bench.demo.world import HURRIED, simulated_web

    with simulated_web(tmp_path) as environment:
        reached = {name: value for name, value in environment.items() if name not in HURRIED}

    assert sorted(reached) == ["LYRA_NETWORK__CA_BUNDLE", "LYRA_NETWORK__PROXY"]
    assert reached["LYRA_NETWORK__PROXY"].startswith("http://127.0.0.1:")


def _ask(home: Path, sql: str) -> list[Any]:
    connection = apsw.Connection(str(home / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()
