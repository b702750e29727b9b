"""Reports and exports of a task whose pages have secrets in their addresses."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lyra.model.task import Task
from lyra.redact.redactor import Redactor
from lyra.report.export.names import ExportFormat
from lyra.report.html import html
from lyra.report.markdown import markdown
from lyra.report.write import Reporter
from lyra.storage import tasks
from tests.recorded_task import TASK, RecordedTask, close, record_task

SECRET = "abcdef123456"
REDACTOR = Redactor(lambda: b"key")
ADDRESS = f"https://www.fdso.gov/safety/heart?token={REDACTOR.mask(SECRET)}"


@pytest.fixture
async def recorded(tmp_path: Path) -> AsyncIterator[RecordedTask]:
    found = await record_task(tmp_path / "home")
    yield found
    await close(found)


async def reported(recorded: RecordedTask) -> tuple[Reporter, Task]:
    task = await recorded.db.read(tasks.get, TASK)
    assert task is not None
    return Reporter(recorded.db, recorded.parts.trust.of_pages, REDACTOR), task


@pytest.mark.parametrize("wanted", list(ExportFormat))
async def test_no_export_has_a_secret_of_an_address(recorded: RecordedTask, wanted: ExportFormat) -> None:
    """Host and path can be read; the secret's hash stands in its place."""
    reporter, task = await reported(recorded)

    files = await reporter.export(task, wanted)

    text = b"\n".join(files.values()).decode()
    assert SECRET not in text
    assert "www.fdso.gov/safety/heart" in text


async def test_the_evidence_names_the_address_by_the_hash_of_its_secret(recorded: RecordedTask) -> None:
    """As the journal does; two addresses that differ in the secret alone stay two."""
    reporter, task = await reported(recorded)

    records = await reporter.records(task)

    assert [one.url for one in records.sources if "fdso" in one.url] == [ADDRESS]
    assert {one.url for _, one in records.quotes() if "fdso" in one.url} == {ADDRESS}


async def test_neither_report_nor_appendix_has_it(recorded: RecordedTask) -> None:
    """In the text and in the addresses behind it."""
    reporter, task = await reported(recorded)

    documents = await reporter.documents(task)

    shown = [render(one) for one in documents for render in (markdown, html)]
    assert [SECRET in one for one in shown] == [False] * 4
    assert [REDACTOR.mask(SECRET) in one for one in shown] == [True] * 4
