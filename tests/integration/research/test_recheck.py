"""A watched task on a small simulated web, in which a page changes, one goes and a paper is retracted between two runs.

The searches, the models and the network are real; the world is small, so that it takes seconds.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.cli.main import app
from lyra.mcp import resources
from lyra.model.recheck import RecheckReport
from lyra.model.search import SearchOptions
from lyra.model.task import Hypothesis, TaskConfig
from simweb import SimWeb
from simweb.faults import Fault
from simweb.journal import Visit
from simweb.world import load_topic

BEFORE = date(2024, 10, 1)
PRICE, WARD = "https://www.herald.example/price", "https://www.ward.example/notes"
PAPER, JOURNAL = "https://doi.org/10.5555/x.1", "https://www.jni.example/1"
FILES = {
    "topic.yaml": """
        topic: bands
        title: Sleep bands
        sites:
          - {domain: www.herald.example, name: Herald, kind: news, template: news}
          - {domain: www.ward.example, name: Ward, kind: blog, template: blog}
          - {domain: www.jni.example, name: JNI, kind: academic, template: journal}
    """,
    "papers.yaml": """
        - id: p1
          title: Sleep bands and medication errors
          authors: [Lucan Frayne]
          date: 2022-10-27
          venue: JNI
          doi: 10.5555/x.1
          retracted_on: 2024-11-19
          abstract: Sleep bands halved medication errors of night nurses in this study.
    """,
    "pages/www.herald.example/price@2024-03-04.md": """
        ---
        path: /price
        title: Hospital buys sleep bands for night nurses
        date: 2024-03-04
        ---
        The hospital bought the sleep bands for night nurses at a price of 4.1 million dollars.
    """,
    "pages/www.herald.example/price.md": """
        ---
        path: /price
        title: Hospital buys sleep bands for night nurses
        date: 2024-03-04
        updated: 2025-03-07
        ---
        The hospital bought the sleep bands for night nurses at a price of 410,400 dollars.
    """,
    "pages/www.ward.example/notes.md": """
        ---
        path: /notes
        title: Sleep bands for night nurses on our ward
        date: 2024-02-01
        ---
        Sleep bands halved the medication errors of night nurses on our ward.
    """,
    "pages/www.jni.example/p1.md": """
        ---
        path: /1
        paper: p1
        ---
    """,
}


@dataclass(frozen=True)
class Watched:
    """The task after its second run, the settings it is read with, and what the second run asked the web for."""

    task_id: str
    report: RecheckReport
    settings: Path
    asked: tuple[Visit, ...]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("recheck")
    for name, text in FILES.items():
        path = folder / "world" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line[8:] for line in text.splitlines()).lstrip(), "utf-8")
    with SimWeb(latency_s=0.0, topics=[load_topic(folder / "world")], now=BEFORE) as web:
        settings = folder / "settings.toml"
        settings.write_text(_settings(web, folder / "data"), "utf-8")
        task_id, report, asked = asyncio.run(_watch(web, settings))
        yield Watched(task_id, report, settings, asked)


def _settings(web: SimWeb, data: Path) -> str:
    return f"""
data_dir = {json.dumps(str(data))}
network.proxy = "{web.proxy_url}"
network.ca_bundle = {json.dumps(str(web.ca_path))}
politeness.domain_qps = 50
politeness.pause_min_s = 0
politeness.pause_max_s = 0.01
politeness.engine_qps = 50
politeness.api_qps = 50
engines.enabled = ["mojeek"]
engines.queries_per_search = 1
wayback.enabled = false
jobs.poll_s = 0.05
"""


async def _watch(web: SimWeb, path: Path) -> tuple[str, RecheckReport, tuple[Visit, ...]]:
    settings = settings_module.load({}, environ={}, path=path)
    async with Lyra.open(settings, with_worker=True) as lyra:
        claims = ("Sleep bands halve medication errors of night nurses.", "The sleep bands cost 4.1 million dollars.")
        config = TaskConfig(hypotheses=tuple(map(Hypothesis, claims)))
        task, _ = await lyra.tasks.create("Are sleep bands worth it?", config)
        search = await lyra.searches.start(task.id, "sleep bands night nurses study", SearchOptions())
        await lyra.searches.wait(search.id, 120)
        await lyra.tasks.stop(task.id, "completed")
        await lyra.rechecks.add(task.id, "7d")
        web.set_time(None)
        web.faults.set("www.ward.example/notes", Fault("status", status=410))
        before = len(web.requests)
        await lyra.rechecks.start(task.id)
        run = await lyra.rechecks.wait(task.id)
        assert run is not None
        assert run.report is not None
        return task.id, run.report, web.requests[before:]


def test_a_changed_page_a_gone_page_and_a_retraction_are_told(watched: Watched) -> None:
    """Each in its list, with the words that were evidence and are no longer there."""
    report = watched.report

    assert [(one.url, one.quotes) for one in report.changed] == [
        (PRICE, ("The hospital bought the sleep bands for night nurses at a price of 4.1 million dollars.",)),
        (JOURNAL, ()),
    ]
    assert [one.url for one in report.gone] == [WARD]
    assert [one.url for one in report.retracted] == [PAPER, JOURNAL]
    assert report.failed == ()


def test_the_verdicts_that_rested_on_them_have_moved(watched: Watched) -> None:
    """The page that told the price names another one now; of the errors the page that is gone still speaks, though the
    study does not."""
    moved = {one.text: (one.before.value, one.after.value) for one in watched.report.verdicts if one.is_hypothesis}

    assert moved == {"The sleep bands cost 4.1 million dollars.": ("supported", "likely_false")}


def test_nothing_comes_from_a_cache(watched: Watched) -> None:
    """Engine, indexes and pages are asked again within a minute of the first time."""
    hosts = {visit.host for visit in watched.asked}

    assert {"www.mojeek.com", "www.herald.example", "www.ward.example", "api.openalex.org"} <= hosts


def test_the_report_is_shown_again_as_text_json_and_feed(watched: Watched) -> None:
    """The task has ended, and its report is there for every reader."""
    shown = [
        CliRunner().invoke(
            app, ["--config", str(watched.settings), "recheck", "show", watched.task_id, "--format", one]
        )
        for one in ("text", "json", "atom")
    ]

    text, fields, feed = (one.stdout for one in shown)
    entries = etree.fromstring(feed.encode()).findall("{http://www.w3.org/2005/Atom}entry")
    assert [one.exit_code for one in shown] == [0, 0, 0]
    assert text.splitlines()[0] == f"{watched.task_id} Are sleep bands worth it?"
    assert [one["url"] for one in json.loads(fields)["report"]["gone"]] == [WARD]
    assert len(entries) == 1


def test_without_a_network_the_task_is_said_to_stay_due(watched: Watched) -> None:
    """The exit code is 1, nothing is compared, and the last report stays."""
    shown = CliRunner().invoke(
        app,
        ["--config", str(watched.settings), "recheck", "run", watched.task_id],
        env={"LYRA_NETWORK__PROXY": "http://127.0.0.1:1", "LYRA_JOBS__POLL_S": "0.05"},
    )

    assert shown.exit_code == 1
    assert shown.stdout.splitlines()[1].startswith("  Not checked, it stays due: No search engine could be reached")


async def test_a_client_reads_the_last_report_as_a_resource_and_in_sql(watched: Watched) -> None:
    """No tool of its own is needed."""
    settings = settings_module.load({}, environ={}, path=watched.settings)
    async with Lyra.open(settings) as lyra:
        told = await resources.read(lyra, f"lyra://tasks/{watched.task_id}/recheck.json")
        done = f"task_id = '{watched.task_id}' and state = 'done'"
        sql = f"select state, gone, changed, pages_unread, every_s from v_rechecks where {done}"
        rows = (await lyra.graph.query(sql, limit=5, timeout_ms=1000, max_vm_steps=500_000, include_schema=False)).rows

    assert json.loads(told.text)["state"] == "done"
    assert rows == ({"state": "done", "gone": 1, "changed": 2, "pages_unread": 0, "every_s": 604_800},)
