"""A body that is kept already is referred to, not written again, and still leads to its bytes."""

import gzip
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lyra.archive.warc import WarcArchive
from lyra.errors import StorageError
from lyra.model.archive import Exchange, RecordKind
from lyra.storage import archive_index
from lyra.storage.database import Database

URL = "https://www.fdso.gov/safety/gliptins"
MakeExchange = Callable[..., Exchange]


async def test_the_same_body_again_is_a_revisit_that_reads_like_the_original(
    indexed: WarcArchive, exchange: MakeExchange, db: Database, folder: Path, warcio_check: Any
) -> None:
    """WARC names the original by id, address and moment; a reader gets the bytes through it."""
    first = await indexed.store(exchange(URL, "DPP-4阻害薬は安全である。"))
    later = exchange(URL, "DPP-4阻害薬は安全である。", moment=exchange(URL, "").started_at + timedelta(days=1))

    second = await indexed.store(later)

    entry = await db.read(archive_index.get, second.record_id)
    text = gzip.decompress((folder / second.path).read_bytes()).decode("utf-8", "replace")
    assert entry is not None
    assert (entry.kind, entry.refers_to, entry.archived_at) == (RecordKind.REVISIT, first.record_id, later.started_at)
    assert await indexed.read(second) == await indexed.read(first)
    assert f"WARC-Refers-To: {first.record_id}\r\n" in text
    assert f"WARC-Refers-To-Target-URI: {URL}\r\nWARC-Refers-To-Date: 2026-01-31T09:30:00.123456Z\r\n" in text
    assert "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n" in text
    assert second.length < first.length * 2
    assert warcio_check(folder / second.path) == 0


async def test_not_modified_refers_to_the_last_answer_of_that_address(
    indexed: WarcArchive, exchange: MakeExchange, folder: Path, warcio_check: Any
) -> None:
    """A 304 says that the page is as it was: its record leads to what it was."""
    await indexed.store(exchange("https://other.example/", "Another page."))
    page = await indexed.store(exchange(URL, "Saxagliptin raised admissions by 27%."))

    ref = await indexed.store(exchange(URL, "", status=304))

    headers, body = await indexed.read(ref)
    assert (headers, body) == await indexed.read(page)
    assert b"revisit/server-not-modified" in gzip.decompress((folder / ref.path).read_bytes())
    assert warcio_check(folder / ref.path) == 0


@pytest.mark.parametrize("status", [304, 404, 500])
async def test_what_has_no_original_is_an_answer_of_its_own(
    indexed: WarcArchive, exchange: MakeExchange, db: Database, status: int
) -> None:
    """A 304 without a known page and the same error page twice are kept as they came."""
    refs = [await indexed.store(exchange(URL, "gone", status=status)) for _ in range(2)]

    kinds = {entry.kind for ref in refs if (entry := await db.read(archive_index.get, ref.record_id))}

    assert kinds == {RecordKind.RESPONSE}


async def test_a_lost_original_is_not_referred_to_and_its_loss_is_named(
    indexed: WarcArchive, exchange: MakeExchange, folder: Path
) -> None:
    """Where the file with the body is gone, the next answer is kept whole."""
    first = await indexed.store(exchange(URL, "A page."))
    again = await indexed.store(exchange(URL, "A page."))
    await indexed.close()
    (folder / first.path).rename(folder / "elsewhere")

    whole = await indexed.store(exchange(URL, "A page."))

    assert (await indexed.read(whole))[1] == exchange(URL, "A page.").body
    with pytest.raises(StorageError):
        await indexed.read(again)


async def test_a_rendered_page_is_a_conversion_of_its_answer(
    indexed: WarcArchive, exchange: MakeExchange, db: Database, folder: Path, warcio_check: Any
) -> None:
    """What a browser built is kept beside what came over the wire, and each says which is which."""
    answer = await indexed.store(exchange(URL, "<script>"))

    ref = await indexed.store_rendered(f"{URL}?api_key=abc", "<p>子育て支援</p>".encode(), refers_to=answer)

    entry = await db.read(archive_index.get, ref.record_id)
    assert entry is not None
    assert (entry.kind, entry.refers_to, entry.url) == (
        RecordKind.CONVERSION,
        answer.record_id,
        f"{URL}?api_key=redacted",
    )
    assert await indexed.read(ref) == ((("Content-Type", "text/html; charset=utf-8"),), "<p>子育て支援</p>".encode())
    assert warcio_check(folder / ref.path) == 0
