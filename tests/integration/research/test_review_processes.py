"""Two processes review on one data directory: nothing is lost, and the verdict knows all of it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from lyra.ids import derived_id
from lyra.model.edge import Relation
from lyra.model.trust import TrustLevel
from lyra.settings import Settings
from lyra.storage.database import Database

TASK = "task_00000000000a"
_COUNT = 24
# Reviews edges one by one through a Lyra of its own: `data_dir actual`, the edges on standard input.
_REVIEW = """
import asyncio, json, sys
from pathlib import Path
from lyra.app import Lyra
from lyra.research.reviewing import ReviewInput
from lyra.settings import Settings

async def main():
    async with Lyra.open(Settings(data_dir=Path(sys.argv[1]))) as lyra:
        for edge_id in json.loads(sys.stdin.read()):
            await lyra.reviews.add_one(ReviewInput(edge_id, sys.argv[2], "", sys.argv[2]))

asyncio.run(main())
"""


def reviewing(settings: Settings, actual: str, edge_ids: Sequence[str]) -> "subprocess.Popen[str]":
    """A process that says this of these edges."""
    words = [sys.executable, "-c", _REVIEW, str(settings.data_dir), actual]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps(list(edge_ids)))
    process.stdin.close()
    return process


def _words(number: int) -> str:
    """A text that shares nothing with the others, so that every page is a source of its own."""
    return " ".join(derived_id("w", str(number), str(place)) for place in range(8))


async def test_two_processes_review_one_claim_at_once(db: Database, settings: Settings, write: Any, said: Any) -> None:
    """One says neutral of the first half, the other refutes of the second, both of the edge between: its last word
    holds, every review is kept, and the claim's figures are those of all edges."""
    told = [
        said(f"https://site{at}.example/", f"site{at}.example", _words(at), Relation.SUPPORTS, 0.9, TrustLevel.LOW)
        for at in range(_COUNT + 1)
    ]
    claim_id = await db.write(write, "Gliptins prolong life.", told)
    ids = [derived_id("e", "fragment", derived_id("f", one.url), "claim", claim_id) for one in told]
    halves = (ids[: _COUNT // 2], ids[_COUNT // 2 : _COUNT])
    processes = [
        reviewing(settings, actual, [*half, ids[_COUNT]])
        for actual, half in zip(("neutral", "refutes"), halves, strict=True)
    ]

    codes = [process.wait(timeout=120) for process in processes]

    assert codes == [0, 0]
    found = await db.read(
        lambda connection: connection.execute(
            """
            select (select count(*) from reviews), (select count(*) from reviews where state = 'in_force'),
                (select count(*) from edges where relation = 'refutes' and nli_confidence = 0.98), refuting_count
            from claims
            """
        ).fetchone()
    )
    (last,) = await db.read(
        lambda connection: connection.execute(
            "select actual = e.relation from reviews r join edges e on e.id = r.edge_id where r.edge_id = ?"
            " and r.state = 'in_force'",
            (ids[_COUNT],),
        ).fetchone()
    )
    assert (found[:2], found[2] == found[3], last) == ((_COUNT + 2, _COUNT + 1), True, 1)
