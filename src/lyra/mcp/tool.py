"""What a tool is: its contract, its four hints, and the function that answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lyra.mcp.contracts import Answer, Input

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.research.searches import Progress


@dataclass(frozen=True, slots=True)
class Call:
    """One call as a tool sees it."""

    lyra: "Lyra"
    progress: "Progress"


@dataclass(frozen=True, slots=True)
class Tool:
    """A named function of the server; `answer` takes a validated `takes` and returns a `gives`."""

    name: str
    title: str
    description: str
    takes: type[Input]
    gives: type[Answer]
    answer: Callable[[Call, Any], Awaitable[Answer]]
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    is_open_world: bool = False
