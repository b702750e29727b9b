"""Collections read by processes, by Ray and from an object store: the same rows, and in the task the same graph."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from lyra.app import Lyra
from lyra.bulk import ray_cluster
from lyra.bulk.files import address_of, put_file
from lyra.bulk.importing import ImportOptions, ImportReport, import_bulk
from lyra.bulk.local import LocalReading, WorkerProcess
from lyra.bulk.parts import Problem, index_rows
from lyra.bulk.plan import Plan, save_plan
from lyra.bulk.run import BulkJob, read_collection
from lyra.bulk.sources import listed
from lyra.bulk.worker import Piece, PieceReport, pieces_of
from lyra.errors import InvalidParams, ModelError
from lyra.ids import derived_id
from lyra.model.task import Hypothesis, Task, TaskConfig
from lyra.settings import Models, Settings
from lyra.storage import searches
from tests.integration.bulk.conftest import HYPOTHESIS, PAGES, QUESTION, html

pytestmark = pytest.mark.timeout(240)


def all_pieces(crawl: Path) -> list[Piece]:
    return pieces_of(listed([address_of(str(crawl))]), frozenset())[0]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """All rows in the order of the collection, without what tells where they were written."""
    found = [row for one in sorted((folder / "parts").iterdir()) for row in pq.read_table(one).to_pylist()]
    return sorted(found, key=lambda row: str(row["key"]))


async def imported(lyra: Lyra, out: Path, task: Task) -> ImportReport:
    return await import_bulk(lyra, address_of(str(out)), task.id, ImportOptions())


async def imported_anew(out: Path) -> ImportReport:
    """The same into a task of its own that nothing else has taught anything."""
    async with Lyra.open(Settings(data_dir=out / "data", models=Models(strong="off"))) as lyra:
        task, _ = await lyra.tasks.create(QUESTION, TaskConfig(hypotheses=(Hypothesis(HYPOTHESIS),)))
        return await imported(lyra, out, task)


async def test_a_page_has_the_ids_that_a_search_gives_it(lyra: Lyra, task: Task, crawl: Path, tmp_path: Path) -> None:
    """Page, fragments and claims; the vectors are those of the embedder, of length 1."""
    await read_collection(lyra, BulkJob((str(crawl),), task.id, str(tmp_path / "out"), workers=1))

    (first, *_) = [row for row in rows_of(tmp_path / "out") if row["url"] == "https://www.fdso.gov/safety/heart"]
    assert first["page_id"] == derived_id("p", "https://www.fdso.gov/safety/heart")
    assert {one["fragment_id"] for one in first["stances"]} <= {one["id"] for one in first["fragments"]}
    (hypothesis,) = await lyra.tasks.claims(task.id)
    assert [one["relation"] for one in first["stances"] if one["claim_id"] == hypothesis.id] == ["supports"]
    assert sum(value * value for value in first["fragments"][0]["vector"]) == pytest.approx(1.0, abs=1e-4)


async def test_processes_and_ray_give_the_same_graph_though_a_worker_is_killed(
    lyra: Lyra, task: Task, plan: Plan, crawl: Path, tmp_path: Path
) -> None:
    """Two Ray workers, one of them killed in the middle: every document has its row, and the digest is that of the
    graph which was made without Ray, by a process or by reading everything here."""
    out = tmp_path / "ray"
    reports: list[PieceReport] = []

    def kill_first(report: PieceReport) -> None:
        reports.append(report)
        if len(reports) == 1:
            os.kill(int(report.worker.rpartition("/")[2]), signal.SIGKILL)

    def on_ray() -> None:
        save_plan(plan, address_of(str(out)))
        with ray_cluster.connected(None, 2):
            reading = ray_cluster.RayReading(plan, address_of(str(out)), 2, threading.Event())
            assert reading.nodes_without_models() == []
            reading.read(all_pieces(crawl), kill_first)

    await asyncio.to_thread(on_ray)
    by_processes = await read_collection(lyra, BulkJob((str(crawl),), task.id, str(tmp_path / "local"), workers=2))
    save_plan(replace(plan, models={"embedder": "another"}), address_of(str(tmp_path / "asked")))
    (tmp_path / "asked" / "parts").symlink_to(out / "parts")
    found = [await imported_anew(tmp_path / name) for name in ("ray", "local", "asked")]

    assert [row["key"] for row in rows_of(out)] == [row["key"] for row in rows_of(tmp_path / "local")]
    assert (by_processes.read, by_processes.not_read, len(index_rows(address_of(str(out))))) == (6, [], 6)
    assert {one.digest for one in found} == {found[0].digest}
    assert [(one.imported, one.has_other_models) for one in found] == [(6, False), (6, False), (6, True)]


async def test_a_process_that_is_killed_loses_nothing(plan: Plan, crawl: Path, tmp_path: Path, lyra: Lyra) -> None:
    """The piece it had is read by the process that takes its place."""
    (piece, *_) = all_pieces(crawl)
    worker = WorkerProcess(plan, lyra.settings, address_of(str(tmp_path / "out")))
    worker.start()
    os.kill(worker.pid or 0, signal.SIGKILL)

    report = await asyncio.to_thread(worker.read, piece)
    worker.close()

    assert (report.read, report.not_read) == (len(piece), ())


async def test_a_second_run_reads_only_what_is_new(lyra: Lyra, task: Task, crawl: Path, tmp_path: Path) -> None:
    """What has a row is known; a file that came since is read; one that can never be read is listed each time."""
    folder, out = tmp_path / "files", str(tmp_path / "out")
    folder.mkdir()
    (folder / "a.html").write_bytes(html(PAGES["https://www.fdso.gov/safety/heart"]))
    (folder / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    first = await read_collection(lyra, BulkJob((str(folder),), task.id, out, workers=1))
    (folder / "c.html").write_bytes(html(PAGES["https://news.example.org/label"]))

    second = await read_collection(lyra, BulkJob((str(folder),), task.id, out, workers=1))

    broken = [Problem(str(folder / "b.png"), "The body looks like a PNG image.")]
    assert (first.read, first.known, first.failed) == (1, 0, broken)
    assert (second.read, second.known, second.failed) == (1, 2, broken)


async def test_a_folder_of_another_question_is_not_written_to(lyra: Lyra, task: Task, crawl: Path, plan: Plan) -> None:
    """Rows of two questions in one folder would be imported as one."""
    out = str(lyra.settings.data_dir / "out")
    save_plan(replace(plan, query="Another question?"), address_of(out))

    with pytest.raises(InvalidParams) as refused:
        await read_collection(lyra, BulkJob((str(crawl),), task.id, out))

    assert refused.value.remedy == "Choose another folder with --out."


async def test_an_import_goes_on_where_it_stopped(lyra: Lyra, task: Task, crawl: Path, tmp_path: Path) -> None:
    """Interrupted after two pages, it is taken up by the same command: the same search, and the pages once."""
    out = tmp_path / "out"
    await read_collection(lyra, BulkJob((str(crawl),), task.id, str(out), workers=1))

    def interrupt(done: int, of: int) -> None:
        if done == 2:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await import_bulk(lyra, address_of(str(out)), task.id, ImportOptions(tell=interrupt))
    (stopped,) = await lyra.db.read(searches.of_task, task.id)
    report = await imported(lyra, out, task)
    again = await imported(lyra, out, task)

    assert (stopped.status, report.imported, report.known) == ("cancelled", 4, 2)
    assert (again.imported, again.known, again.digest) == (0, 6, report.digest)
    assert stopped.id == report.search_id == again.search_id


async def test_only_pages_that_take_a_side_where_that_is_wanted(
    lyra: Lyra, task: Task, crawl: Path, tmp_path: Path
) -> None:
    """The rowing club has nothing to say of heart failure; its page is left out."""
    out = tmp_path / "out"
    await read_collection(lyra, BulkJob((str(crawl),), task.id, str(out), workers=1))

    report = await import_bulk(lyra, address_of(str(out)), task.id, ImportOptions(only_bearing=True))

    rows = await lyra.db.read(lambda c: c.execute("select url from pages order by url").fetchall())
    assert ("https://www.harbourrowing.org/winter",) not in rows
    assert (report.imported, report.left_out) == (len(rows), 6 - len(rows))


async def test_a_collection_that_is_gone_is_imported_without_an_archived_copy(
    lyra: Lyra, task: Task, tmp_path: Path
) -> None:
    """The page enters the graph; that its bytes could not be kept is named by file."""
    folder, out = tmp_path / "files", tmp_path / "out"
    folder.mkdir()
    (folder / "a.html").write_bytes(html(PAGES["https://www.fdso.gov/safety/heart"]))
    await read_collection(lyra, BulkJob((str(folder),), task.id, str(out), workers=1))
    (folder / "a.html").unlink()

    report = await imported(lyra, out, task)

    assert (report.imported, [one.file for one in report.not_archived]) == (1, [str(folder / "a.html")])


@pytest.fixture
def two_machines(tmp_path: Path) -> Iterator[str]:
    """The address of a cluster of two, of which the second has no models."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1, env_vars={"LYRA_MODELS__DIRECTORY": str(tmp_path / "nowhere")})
    yield cluster.address
    cluster.shutdown()


async def test_a_ray_machine_without_models_is_named_and_the_rest_goes_on(
    two_machines: str, plan: Plan, crawl: Path, tmp_path: Path
) -> None:
    """Of two machines one has no weights: it takes no part, and the other one reads everything."""
    reports: list[PieceReport] = []

    def read() -> list[Problem]:
        with ray_cluster.connected(two_machines, 2):
            reading = ray_cluster.RayReading(plan, address_of(str(tmp_path / "out")), 2, threading.Event())
            unfit = reading.nodes_without_models()
            reading.read(all_pieces(crawl), reports.append)
            return unfit

    (unfit,) = await asyncio.to_thread(read)

    assert unfit.reason.startswith(f"The small model's card {tmp_path}/nowhere/small/card.json cannot be read")
    assert (sum(one.read for one in reports), len({one.worker for one in reports})) == (6, 1)


async def test_processes_without_models_say_so(plan: Plan, crawl: Path, tmp_path: Path, lyra: Lyra) -> None:
    """Nothing is read and nothing written; the error is that of the model."""
    settings = lyra.settings.model_copy(update={"models": Models(directory=tmp_path / "nowhere")})
    reading = LocalReading(plan, settings, address_of(str(tmp_path / "out")), 1, threading.Event())

    with pytest.raises(ModelError, match="cannot be read"):
        await asyncio.to_thread(reading.read, all_pieces(crawl), lambda report: None)

    assert not (tmp_path / "out").exists()


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The query with which an object store on this machine is reached; it has the bucket `crawls`."""
    from moto.server import ThreadedMotoServer
    from pyarrow.fs import S3FileSystem

    for name, value in (("ACCESS_KEY_ID", "reader"), ("SECRET_ACCESS_KEY", "secret"), ("REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    endpoint = f"127.0.0.1:{port}"
    S3FileSystem(endpoint_override=endpoint, scheme="http", allow_bucket_creation=True).create_dir("crawls")
    yield f"?endpoint_override={endpoint}&scheme=http"
    server.stop()


async def test_an_object_store_is_read_and_written_like_a_folder(
    lyra: Lyra, task: Task, crawl: Path, tmp_path: Path, store: str
) -> None:
    """WARC and files in a bucket, rows in a bucket: the pages' bytes are archived from there, and a second run reads
    nothing."""
    for name in ("crawl.warc.gz", "note.md"):
        put_file(f"s3://crawls/2026/{name}{store}", (crawl / name).read_bytes())
    job = BulkJob((f"s3://crawls/2026{store}",), task.id, f"s3://crawls/out{store}", workers=1)

    first = await read_collection(lyra, job)
    second = await read_collection(lyra, job)
    report = await import_bulk(lyra, f"s3://crawls/out{store}", task.id, ImportOptions())

    assert (first.read, first.out, second.read, second.known) == (6, "s3://crawls/out", 0, 6)
    assert (report.imported, report.not_archived) == (6, ())
    urls = await lyra.db.read(lambda c: [url for (url,) in c.execute("select url from pages order by url")])
    assert urls == sorted([*PAGES, "s3://crawls/2026/note.md"])
