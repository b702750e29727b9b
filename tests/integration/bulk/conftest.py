"""A small collection, and a task in whose name it is read by the bundled models."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lyra.app import Lyra
from lyra.bulk.plan import Plan, make_plan
from lyra.bulk.run import model_ids
from lyra.model.task import Hypothesis, Task, TaskConfig
from lyra.settings import Models, Settings

QUESTION = "Does saxagliptin increase hospitalisation for heart failure?"
HYPOTHESIS = "Saxagliptin increases the risk of hospitalisation for heart failure."
PAGES = {
    "https://www.fdso.gov/safety/heart": "Saxagliptin increased the risk of hospitalisation for heart failure by 27 "
    "percent in a trial of 16,492 patients. The agency asked for a warning on the label in April 2016.",
    "https://www.jmetd-journal.org/2014/heart": "Saxagliptin did not increase the risk of hospitalisation for heart "
    "failure in 1.5 million patients. The study compared nine countries over four years.",
    "https://clinic-notes.example.com/heart": "Hospitalisation for heart failure was a higher risk on saxagliptin, "
    "doctors at nine other clinics reported. They had followed 3,100 patients for two years.",
    "https://news.example.org/label": "The label of saxagliptin names heart failure since 2016. Patients with kidney "
    "disease were at the highest risk in the trial.",
    "https://www.harbourrowing.org/winter": "The rowing club trains on the lake until the end of November. New members "
    "are welcome on Saturdays.",
}


def html(text: str, title: str = "Report") -> bytes:
    body = f"<article><h1>{title}</h1><p>{text}</p></article>"
    return f"<html lang='en'><head><title>{title}</title></head><body>{body}</body></html>".encode()


def warc_member(url: str, body: bytes, kind: str = "response", status: str = "200 OK") -> bytes:
    """One record as a gzip member."""
    out = io.BytesIO()
    head = StatusAndHeaders(status, [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
    writer = WARCWriter(out, gzip=True)
    writer.write_record(
        writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            http_headers=head,
            warc_headers_dict={"WARC-Date": "2026-01-31T09:30:00Z"},
        )
    )
    return out.getvalue()


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a WARC file of all pages and one file of its own."""
    folder = tmp_path_factory.mktemp("crawl")
    (folder / "crawl.warc.gz").write_bytes(b"".join(warc_member(url, html(text)) for url, text in PAGES.items()))
    (folder / "note.md").write_text(
        "# Note\n\nSaxagliptin was approved in Ruritania in 2009 after two trials.\n", "utf-8"
    )
    return folder


@pytest.fixture
async def lyra(tmp_path: Path) -> AsyncIterator[Lyra]:
    async with Lyra.open(Settings(data_dir=tmp_path / "data", models=Models(strong="off"))) as opened:
        yield opened


@pytest.fixture
async def task(lyra: Lyra) -> Task:
    found, _ = await lyra.tasks.create(QUESTION, TaskConfig(hypotheses=(Hypothesis(HYPOTHESIS),)))
    return found


@pytest.fixture
async def plan(lyra: Lyra, task: Task) -> Plan:
    return make_plan(task, await lyra.tasks.claims(task.id), lyra.settings, model_ids(lyra))
