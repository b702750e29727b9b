"""Batches that do not fit into the memory."""

from collections.abc import Sequence

import pytest

from lyra.ml.within_memory import run_within_memory

Text = tuple[int, ...]


class Machine:
    """Has room for so many tokens at once, and keeps what it was asked."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.asked: list[list[int]] = []

    def run(self, texts: Sequence[Text]) -> list[int]:
        self.asked.append([len(text) for text in texts])
        if sum(map(len, texts)) > self.room:
            raise MemoryError
        return [sum(text) for text in texts]


def halved(text: Text) -> Text | None:
    return text[: len(text) // 2] if len(text) > 4 else None


def is_memory_error(exc: BaseException) -> bool:
    return isinstance(exc, MemoryError)


def test_a_batch_that_fits_runs_once() -> None:
    """Nothing is cut or split without need."""
    machine = Machine(room=8)

    found = run_within_memory(machine.run, [(1, 2), (3, 4)], halved, is_memory_error)

    assert (found, machine.asked) == (([3, 7], 0), [[2, 2]])


def test_a_batch_that_does_not_fit_runs_in_halves() -> None:
    """The answers stay in order, and no text is shortened."""
    machine = Machine(room=4)

    found = run_within_memory(machine.run, [(1, 2), (3, 4), (5, 6)], halved, is_memory_error)

    assert (found, machine.asked) == (([3, 7, 11], 0), [[2, 2, 2], [2], [2, 2]])


def test_a_text_that_does_not_fit_alone_is_shortened() -> None:
    """Half by half, and it is counted."""
    machine = Machine(room=3)

    found = run_within_memory(machine.run, [(1,) * 12, (2,)], halved, is_memory_error)

    assert (found, machine.asked) == (([3, 2], 1), [[12, 1], [12], [6], [3], [1]])


def test_what_does_not_fit_at_its_shortest_is_an_error() -> None:
    """It is not tried for ever."""
    machine = Machine(room=1)

    with pytest.raises(MemoryError):
        run_within_memory(machine.run, [(1,) * 8], halved, is_memory_error)

    assert machine.asked == [[8], [4]]


def test_another_error_is_not_retried() -> None:
    """Only memory is a reason to try again."""

    def run(_: Sequence[Text]) -> list[int]:
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        run_within_memory(run, [(1,), (2,)], halved, is_memory_error)
