"""A file that somebody hands in to the text that is checked: what needs a parser is read in a process of its own."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from lyra.errors import InvalidParams
from lyra.extract.draft import MAX_BYTES, Draft, needs_parser, read_draft
from lyra.extract.reader import DocumentReader


@dataclass(frozen=True, slots=True)
class DraftReader:
    """Reads drafts; `reader` those that need a parser."""

    reader: DocumentReader

    async def read(self, path: Path) -> Draft:
        """The text of a file. Raises InvalidParams where it cannot be opened or read."""
        body = await asyncio.to_thread(read_bytes, path)
        if needs_parser(body, path.suffix):
            return await self.reader.read_draft(body, path.suffix)
        return await asyncio.to_thread(read_draft, body, path.suffix)


def read_bytes(path: Path) -> bytes:
    """What a file holds. Raises InvalidParams where it cannot be opened."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as exc:
        remedy = "Look at its name, and at who may read it."
        raise InvalidParams(f"{path} cannot be opened: {exc.strerror}.", remedy=remedy) from exc
