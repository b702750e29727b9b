"""Asking again and again until something is there: the one loop for what gives no notice of its own."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from lyra.clock import Clock

T = TypeVar("T")


async def poll(probe: Callable[[], Awaitable[T | None]], clock: Clock, *, every_s: float, limit_s: float) -> T | None:
    """The first answer of `probe` that is not None; None where none came within the limit. Asks at least once."""
    deadline = clock.monotonic() + limit_s
    while True:
        found = await probe()
        if found is not None or clock.monotonic() >= deadline:
            return found
        await clock.sleep(every_s)
