"""Sessions that visits leave: cookies and the user agent they were given to, kept per domain, for this user only.

They never leave their registrable domain, and nothing but this room reads them: not logs, backups or the graph.
"""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from lyra.clock import Clock, parse_stamp, stamp
from lyra.disk import put_whole, writing
from lyra.urls import host_of, registrable_domain

MOST_COOKIES = 300
LARGEST_COOKIE = 8_192
SAME_SITE = frozenset({"Strict", "Lax", "None"})


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie; a domain that begins with a dot also covers the hosts below it. `expires_s` is Unix time."""

    name: str
    value: str = field(repr=False)
    domain: str
    path: str = "/"
    expires_s: float | None = None
    is_secure: bool = False
    is_http_only: bool = False
    same_site: str | None = None

    def key(self) -> tuple[str, str, str]:
        return self.name, self.domain, self.path

    def is_alive(self, now: datetime) -> bool:
        return self.expires_s is None or self.expires_s > now.timestamp()

    def is_sent_to(self, url: str) -> bool:
        """Whether a browser would send it there (RFC 6265 §5.4, without the date)."""
        parts, host = urlsplit(url), host_of(url)
        bare = self.domain.lstrip(".").lower()
        is_below = self.domain.startswith(".") and host.endswith(f".{bare}")
        if not (host == bare or is_below) or (self.is_secure and parts.scheme != "https"):
            return False
        path = parts.path or "/"
        return path == self.path or path.startswith(self.path if self.path.endswith("/") else f"{self.path}/")


@dataclass(frozen=True, slots=True)
class Session:
    """What a domain knows a visitor by."""

    domain: str
    cookies: tuple[Cookie, ...]
    user_agent: str
    language: str
    saved_at: datetime


class SessionStore:
    """One file a registrable domain below `directory`, readable by the user alone."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock

    async def save(self, url: str, cookies: Iterable[Cookie], *, user_agent: str = "", language: str = "") -> Session:
        """Keep the cookies of the address's own domain, newer over older; others are dropped without a trace."""
        return await asyncio.to_thread(self._save, registrable_domain(url), tuple(cookies), user_agent, language)

    async def load(self, url: str) -> Session | None:
        """The session of the address's domain with the cookies that are still alive; None where there is none."""
        return await asyncio.to_thread(self._load, registrable_domain(url))

    async def cookies_for(self, url: str) -> tuple[tuple[str, str], ...]:
        """Names and values to send to exactly this address, longer paths first."""
        session = await self.load(url)
        fitting = [cookie for cookie in session.cookies if cookie.is_sent_to(url)] if session else []
        return tuple((cookie.name, cookie.value) for cookie in sorted(fitting, key=lambda one: -len(one.path)))

    async def forget(self, url: str) -> bool:
        """Take the session of the address's domain away; whether there was one."""
        return await asyncio.to_thread(self._forget, registrable_domain(url))

    async def domains(self) -> tuple[str, ...]:
        """The domains that have a session, in alphabetical order."""
        return await asyncio.to_thread(self._domains)

    def _save(self, domain: str, cookies: tuple[Cookie, ...], user_agent: str, language: str) -> Session:
        now = self._clock.now()
        before = self._load(domain)
        kept = {cookie.key(): cookie for cookie in (before.cookies if before else ())}
        kept |= {cookie.key(): cookie for cookie in cookies if _belongs(cookie, domain)}
        alive = [cookie for cookie in kept.values() if cookie.is_alive(now)][-MOST_COOKIES:]
        session = Session(
            domain,
            tuple(alive),
            user_agent or (before.user_agent if before else ""),
            language or (before.language if before else ""),
            now,
        )
        with writing(self._directory):
            self._write(session)
        return session

    def _write(self, session: Session) -> None:
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._directory.chmod(0o700)
        fields = {**asdict(session), "saved_at": stamp(session.saved_at)}
        put_whole(self._path(session.domain), json.dumps(fields, ensure_ascii=False))

    def _load(self, domain: str) -> Session | None:
        try:
            fields = json.loads(self._path(domain).read_text("utf-8"))
            session = _read(fields)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None  # a session that cannot be read is none: the next visit makes a new one
        now = self._clock.now()
        alive = tuple(cookie for cookie in session.cookies if cookie.is_alive(now) and _belongs(cookie, domain))
        return Session(domain, alive, session.user_agent, session.language, session.saved_at)

    def _forget(self, domain: str) -> bool:
        with writing(self._directory):
            try:
                self._path(domain).unlink()
            except FileNotFoundError:
                return False
        return True

    def _domains(self) -> tuple[str, ...]:
        names = (path.stem for path in self._directory.glob("*.json"))
        return tuple(sorted(unquote(name) for name in names))

    def _path(self, domain: str) -> Path:
        return self._directory / f"{quote(domain, safe='')}.json"


def _belongs(cookie: Cookie, domain: str) -> bool:
    is_small = len(cookie.name) + len(cookie.value) <= LARGEST_COOKIE
    return is_small and registrable_domain(cookie.domain.lstrip(".")) == domain


def _read(fields: dict[str, Any]) -> Session:
    cookies = tuple(Cookie(**one) for one in fields["cookies"])
    return Session(
        str(fields["domain"]), cookies, str(fields["user_agent"]), str(fields["language"]),
        parse_stamp(fields["saved_at"]),
    )  # fmt: skip
