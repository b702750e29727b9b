"""robots.txt as RFC 9309 reads it: fetched through a given getter, remembered in the database.

Lyra's product token is `lyra`: a group addressed to it binds, otherwise the group for `*` does. The browser
headers of the HTTP client change nothing about that.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lyra.clock import Clock
from lyra.model.domain import RobotsFile
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.policy.gate import KeyedLocks
from lyra.settings import Politeness
from lyra.storage import caches
from lyra.storage.database import Database
from lyra.urls import origin_of

if TYPE_CHECKING:
    from protego import Protego

PRODUCT_TOKEN = "lyra"
# RFC 9309 §2.5: at least 500 KiB are parsed; what lies beyond is ignored.
_MAX_BYTES = 500 * 1024
# A robots.txt that could not be had is asked for again after this long (§2.3.1.4: until then nothing is allowed).
_SERVER_ERROR_TTL_S = 600.0
_NO_ANSWER_TTL_S = 120.0
# A site may ask for one request a day; 1e300 seconds lie beyond all dates.
_LONGEST_DELAY_S = 86_400.0
# The remembered status where no answer came; the body then holds the reason.
_NO_ANSWER = 0


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """Whether a page may be fetched and the pause the site wants; where it may not, what that makes of the fetch."""

    is_allowed: bool
    crawl_delay_s: float | None = None
    outcome: FetchOutcome = FetchOutcome.ROBOTS_DENIED
    reason: str | None = None
    retry_after_s: float | None = None


class Robots:
    """Answers for a page's address; asks each origin once in `robots_ttl_s`."""

    def __init__(self, db: Database, clock: Clock, settings: Politeness) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        # Many pages of a new site are wanted at once, its robots.txt only once.
        self._asking = KeyedLocks()

    async def decision(self, url: str, get: Getter, cause_id: str | None = None) -> RobotsDecision:
        """What the site's robots.txt says about the address, fetched by `get` where it is not remembered."""
        origin = origin_of(url)
        async with self._asking.of(origin):
            file = await self._remembered(origin) or await self._fetched(origin, get, cause_id)
        return await asyncio.to_thread(judge, file, url)

    async def known_decision(self, url: str) -> RobotsDecision | None:
        """The same without any request: None where the robots.txt is not remembered."""
        file = await self._remembered(origin_of(url))
        return None if file is None else await asyncio.to_thread(judge, file, url)

    async def _remembered(self, origin: str) -> RobotsFile | None:
        now = self._clock.now()
        oldest = now - timedelta(seconds=self._settings.robots_ttl_s)
        file = await self._db.read(caches.robots, origin, oldest)
        if file is None or now - file.fetched_at >= _lifetime(file.status_code):
            return None
        return file

    async def _fetched(self, origin: str, get: Getter, cause_id: str | None) -> RobotsFile:
        result = await get(FetchRequest(f"{origin}/robots.txt", cause_id=cause_id))
        file = RobotsFile(origin, _text_of(result), _status_of(result), self._clock.now())
        if result.outcome is not FetchOutcome.COOLING_DOWN:
            await self._db.write(caches.save_robots, file)
        return file


def judge(file: RobotsFile, url: str) -> RobotsDecision:
    """What a robots.txt says: absent means allowed, out of reach means not for now (RFC 9309 §2.3.1)."""
    if file.status_code == _NO_ANSWER:
        return RobotsDecision(
            False, None, FetchOutcome.FAILED, f"robots.txt could not be read: {file.body}", _NO_ANSWER_TTL_S
        )
    if is_server_trouble(file.status_code):
        reason = f"robots.txt answers {file.status_code}, so nothing may be fetched for now."
        return RobotsDecision(False, reason=reason, retry_after_s=_SERVER_ERROR_TTL_S)
    if file.status_code >= 400:
        return RobotsDecision(True)
    rules = _parsed(file.body)
    wanted = rules.crawl_delay(PRODUCT_TOKEN)
    delay = min(wanted, _LONGEST_DELAY_S) if wanted is not None else None
    if rules.can_fetch(url, PRODUCT_TOKEN):
        return RobotsDecision(True, delay)
    return RobotsDecision(False, delay, reason=f"robots.txt of {urlsplit(file.origin).netloc} disallows this address.")


def is_server_trouble(status_code: int) -> bool:
    """A server error, or "too many requests", which says nothing about rules."""
    return status_code == 429 or status_code >= 500


def _lifetime(status_code: int) -> timedelta:
    """How long an answer is good for at most, whatever the setting."""
    if status_code == _NO_ANSWER:
        return timedelta(seconds=_NO_ANSWER_TTL_S)
    return timedelta(seconds=_SERVER_ERROR_TTL_S) if is_server_trouble(status_code) else timedelta.max


def decode(body: bytes) -> str:
    """UTF-8 as the RFC demands, UTF-16 where a byte order mark shows it; what cannot be read is replaced."""
    start = body[:_MAX_BYTES]
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return start.decode(encoding, "replace").replace("\x00", "")


def _text_of(result: FetchResult) -> str:
    status_code = _status_of(result)
    if status_code == _NO_ANSWER:
        return result.reason or "no answer came."
    return decode(result.body) if status_code < 300 else ""


def _status_of(result: FetchResult) -> int:
    """The status, or that of no answer where none came in full."""
    if result.is_partial or result.status_code is None or 300 <= result.status_code < 400:
        return _NO_ANSWER
    return result.status_code


@lru_cache(maxsize=32)
def _parsed(body: str) -> "Protego":
    from protego import Protego  # lazy: only needed once a page is fetched

    return Protego.parse(body)
