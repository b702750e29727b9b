"""Which work holds which slot in a Lyra that is really open (SPEC §9)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lyra.app import Lyra
from lyra.model.job import Priority, Slot
from lyra.settings import Settings
from lyra.storage import slots

SENTENCE = "サキサグリプチンは心不全による入院を増やす。"
PAGE = f"<html lang='ja'><body><article><p>{SENTENCE}</p></article></body></html>".encode()


@pytest.fixture
async def lyra(tmp_path: Path) -> AsyncIterator[Lyra]:
    async with Lyra.open(Settings(data_dir=tmp_path)) as lyra:
        yield lyra


async def test_a_visible_browser_does_not_hold_up_the_bundled_models(lyra: Lyra) -> None:
    """They run on the processor; only the user's language model shares a seat with the window."""
    async with lyra.slots.hold(Slot.BROWSER_HEADFUL, Priority.PREFETCH), asyncio.timeout(30):
        document = await lyra.parts.reader.read(PAGE, content_type="text/html; charset=utf-8")
        vectors = await lyra.models.embedder.embed([document.text])

    assert document.text == SENTENCE
    assert vectors.shape == (1, lyra.models.embedder.dimension)


async def test_reading_a_document_waits_for_a_seat_of_the_processor(lyra: Lyra) -> None:
    """With every seat of `cpu_nlp` taken it stands in line, and reads when one is given back."""
    async with contextlib.AsyncExitStack() as taken:
        for _ in range(lyra.slots.seats(Slot.CPU_NLP)):
            await taken.enter_async_context(lyra.slots.hold(Slot.CPU_NLP, Priority.EMBED))
        reading = asyncio.create_task(lyra.parts.reader.read(PAGE, content_type="text/html; charset=utf-8"))
        async with asyncio.timeout(30):
            # The line is a table of the database: there is nothing to wait on.
            while not (waiting := await lyra.db.read(slots.waiting, lyra.clock.now())):  # noqa: ASYNC110
                await asyncio.sleep(0.005)
    document = await asyncio.wait_for(reading, 30)

    assert waiting == {"cpu_nlp": 1}
    assert document.text == SENTENCE
