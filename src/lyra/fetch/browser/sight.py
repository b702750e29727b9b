"""What a visit is asked to do, and what it has seen when it ends. Values only."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from lyra.fetch.sessions import Cookie
from lyra.model.archive import Exchange, Resource
from lyra.model.page import FetchOutcome

# Whether the visit may go on to an address by itself; where not, it ends there and the caller decides.
Follow = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Plan:
    """One visit. `referer` is shown as it is given; `is_humane` moves and scrolls like a person."""

    url: str
    timeout_s: float
    method: str = "GET"
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    referer: str | None = None
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    is_humane: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """What a visit saw: every answer for the page itself in order, and the page as it stood at the end.

    `html` is None where the answer was no page to render; `leads_to` is an address the visit did not follow.
    """

    exchanges: tuple[Exchange, ...]
    url: str
    html: bytes | None = None
    leads_to: str | None = None
    resources: tuple[Resource, ...] = ()
    screenshot: bytes | None = None
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    language: str = ""
    elapsed_s: float = 0.0
    failure: FetchOutcome | None = None
    reason: str | None = None
