"""A person's word on the auth queue: the session is kept, the domain opened, its searches resumed."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lyra.errors import InvalidParams
from lyra.fetch.sessions import LARGEST_COOKIE, MOST_COOKIES, Cookie, SessionStore
from lyra.handoff.queue import AuthQueue
from lyra.model.handoff import HandoffDecision, HandoffStatus
from lyra.urls import registrable_domain

_SHAPE = 'Give {"cookies": [{"name": …, "value": …}], "user_agent"?: …}.'
# What would end a cookie or its header line, and so begin another one (RFC 6265 §4.1.1); spaces occur in real values.
_NOT_IN_NAMES = re.compile(r"[\x00-\x20\x7f;,=]")
_NOT_IN_VALUES = re.compile(r"[\x00-\x1f\x7f;]")
_NOT_IN_HEADERS = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class GivenSession:
    """What a person's browser holds of a domain after the wall was opened."""

    cookies: tuple[Cookie, ...]
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision, and whether a session was kept with it."""

    decision: HandoffDecision
    session_stored: bool


# Finds the session of a domain in the browser where the person opened it.
Look = Callable[[str], Awaitable[GivenSession | None]]


class Handoffs:
    """What the faces do with the auth queue."""

    def __init__(self, queue: AuthQueue, sessions: SessionStore, look: Look) -> None:
        self.queue = queue
        self._sessions = sessions
        self._look = look

    async def resolve_item(
        self, handoff_id: str, status: HandoffStatus, via: str, session: GivenSession | None = None
    ) -> Outcome:
        """Decide one item; a session that comes with it belongs to its domain."""
        item = await self.queue.get(handoff_id)
        is_first = item.status is not HandoffStatus.RESOLVED  # who comes second changes nothing, the session included
        is_stored = is_first and await self._keep(item.domain, status, session)
        return Outcome(await self.queue.decide_item(handoff_id, status, via), is_stored)

    async def resolve_domain(
        self, domain: str, status: HandoffStatus, via: str, session: GivenSession | None = None
    ) -> Outcome:
        """Decide everything of a domain."""
        name = await self.queue.domain_named(domain)
        is_stored = await self._keep(name, status, session)
        return Outcome(await self.queue.decide_domain(name, status, via), is_stored)

    async def _keep(self, domain: str, status: HandoffStatus, session: GivenSession | None) -> bool:
        """Before anything is fetched again, the cookies must be there: those given, else the research browser's."""
        if status is not HandoffStatus.RESOLVED:
            return False
        session = session or await self._look(domain)
        if session is None or not session.cookies:
            return False
        await self._sessions.save(f"https://{domain}/", session.cookies, user_agent=session.user_agent)
        return True


def read_session(data: Mapping[str, Any] | None, domain: str) -> GivenSession | None:
    """The session a client hands over; InvalidParams where it cannot be one, or belongs to another domain."""
    if data is None:
        return None
    given = data.get("cookies")
    if isinstance(given, Mapping):
        given = [{"name": name, "value": value} for name, value in given.items()]
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) > MOST_COOKIES:
        raise InvalidParams("session_data has no cookies, or too many.", remedy=_SHAPE)
    user_agent = str(data.get("user_agent") or "")[:400]
    if _NOT_IN_HEADERS.search(user_agent):
        raise InvalidParams("user_agent in session_data has control characters.", remedy=_SHAPE)
    return GivenSession(tuple(_cookie(one, domain) for one in given), user_agent)


def _cookie(given: Any, domain: str) -> Cookie:
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str) or not given["name"].strip():
        raise InvalidParams("A cookie in session_data has no name.", remedy=_SHAPE)
    if not isinstance(given.get("value"), str):
        raise InvalidParams("A cookie in session_data has no value.", remedy=_SHAPE)
    if _NOT_IN_NAMES.search(given["name"]) or _NOT_IN_VALUES.search(given["value"]):
        raise InvalidParams("A cookie in session_data has characters that no cookie may have.", remedy=_SHAPE)
    if len(given["name"]) + len(given["value"]) > LARGEST_COOKIE:
        raise InvalidParams(f"A cookie in session_data has more than {LARGEST_COOKIE} characters.", remedy=_SHAPE)
    owner = str(given.get("domain") or f".{domain}")
    if registrable_domain(owner.lstrip(".")) != domain:
        raise InvalidParams(f"A cookie in session_data does not belong to {domain}.", remedy="Give its own cookies.")
    expires = given.get("expires", given.get("expirationDate"))
    is_dated = isinstance(expires, int | float) and not isinstance(expires, bool) and expires > 0
    return Cookie(
        name=given["name"],
        value=given["value"],
        domain=owner,
        path=str(given.get("path") or "/"),
        expires_s=float(expires) if is_dated else None,
        is_secure=bool(given.get("secure", False)),
        is_http_only=bool(given.get("httpOnly", False)),
        same_site=str(given["sameSite"]) if given.get("sameSite") else None,
    )
