"""Runs a batch within the memory there is: on a memory error in halves, then one by one with shorter texts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
SHORTEST = 32  # tokens; a text cut shorter says too little to be worth an answer


def run_within_memory(
    run: Callable[[Sequence[T]], list[R]],
    items: Sequence[T],
    shorten: Callable[[T], T | None],
    is_memory_error: Callable[[BaseException], bool],
) -> tuple[list[R], int]:
    """One result an item, and how many items were shortened; the error itself where even that does not help.

    `shorten` gives an item half as long, or None where it is as short as it may be.
    """
    try:
        return run(items), 0
    except Exception as exc:
        if not is_memory_error(exc):
            raise
        if len(items) == 1 and (shorter := shorten(items[0])) is not None:
            rows, _ = run_within_memory(run, [shorter], shorten, is_memory_error)
            return rows, 1
        if len(items) <= 1:
            raise
    middle = len(items) // 2
    first, cut_first = run_within_memory(run, items[:middle], shorten, is_memory_error)
    second, cut_second = run_within_memory(run, items[middle:], shorten, is_memory_error)
    return first + second, cut_first + cut_second
