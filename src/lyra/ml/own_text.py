"""Marks work on documents of the user's own, whose text goes to no other machine unless the user allows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_own: ContextVar[bool] = ContextVar("own_text", default=False)


@contextmanager
def own_documents() -> Iterator[None]:
    """What models are asked within the block, and in tasks that it starts, is text of the user's own documents."""
    token = _is_own.set(True)
    try:
        yield
    finally:
        _is_own.reset(token)


def is_own_text() -> bool:
    return _is_own.get()
