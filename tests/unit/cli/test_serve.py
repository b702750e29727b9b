"""What a server over HTTP does once it serves."""

import gc
from typing import Any, cast

from lyra.cli import serve


class Warmed:
    """A Lyra that is only warmed up."""

    is_warm = False

    async def warm_up(self) -> None:
        self.is_warm = True


async def test_what_was_loaded_is_left_alone_by_the_garbage_collector() -> None:
    """It is looked through once, and never again."""
    lyra = Warmed()

    try:
        await serve._warm_up(cast("Any", lyra))
        looked_through = gc.get_count()[2], gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()

    assert (lyra.is_warm, looked_through) == (True, (0, True))
