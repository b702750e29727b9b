"""Pages of a recording, read again from their archived bytes."""

from datetime import UTC, datetime
from typing import Any

import pytest

from lyra.archive.records import RecordContents
from lyra.extract.document import read_document
from lyra.ids import text_hash
from lyra.model.event import Event
from lyra.model.page import ArchiveRef, Document, Page
from lyra.replay.sources import ReplayedPage, read_page
from lyra.research.flow import page_fields

_URL = "https://a.example/1"
_BODY = b"<html><head><meta property='og:site_name' content='Hythe Courier'></head><body><p>It leaks.</p></body></html>"
_AT = datetime(2026, 1, 1, tzinfo=UTC)


class _Reader:
    async def read(self, body: bytes, *, content_type: str | None, url: str) -> Document:
        return read_document(body, content_type=content_type, url=url)


async def _records(_ref: ArchiveRef) -> RecordContents:
    entry: Any = None
    return RecordContents(entry, (("Content-Type", "text/html"),), _BODY)


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [({"site_name": "Hythe Courier"}, "Hythe Courier"), ({"site_name": None}, None), ({}, None)],
    ids=["recorded", "not looked for", "older recording"],
)
async def test_the_name_of_a_site_is_read_again_where_it_was_recorded(
    recorded: dict[str, str | None], expected: str | None
) -> None:
    """A page that was recorded before names of sites were kept has none in its replay, as it had none then."""
    page = Page("p_1", _URL, "a.example", "Ferry", "en", _AT, _URL, archive=ArchiveRef("a.warc.gz", 0, 9, "r1"))
    fields = {name: value for name, value in page_fields(page).items() if name != "site_name"} | recorded
    event = Event("page_read", _AT, _URL, {"page": fields, "version": text_hash("It leaks.")}, "t_1")
    reader: Any = _Reader()

    found = await read_page(event, _records, reader)

    assert isinstance(found, ReplayedPage)
    assert (found.stored.page.site_name, found.problem) == (expected, None)
