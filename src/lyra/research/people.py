"""People of a shared server: each has a token of their own, of which only a hash is kept."""

import asyncio
import hashlib
import re
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.errors import InvalidParams, StorageError
from lyra.ids import new_id
from lyra.model.person import OWNER, Person, Role
from lyra.observe.log import get_logger
from lyra.storage import people
from lyra.storage.database import Database
from lyra.text import normalise, strip_control_chars

if TYPE_CHECKING:
    from apsw import Connection

MAX_NAME_CHARS = 60
_MAX_TOKEN_CHARS = 200
# When a token was last used is written down at most this often.
_NOTE_EVERY = timedelta(minutes=1)
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token as it is shown once, and whose it is."""

    person: Person
    token: str


class People:
    """Adds people, changes and revokes their tokens, and says whose a token is."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._noted: dict[str, datetime] = {}
        self._noting: set[asyncio.Task[None]] = set()

    async def add(self, name: str, role: Role, *, is_again: bool = False) -> IssuedToken:
        """A new person with a token; `is_again`: somebody whose token was revoked, who gets a new one and their tasks
        back, in the role given now."""
        clean = normalise(name).strip()
        # A sign that vanishes would give a name that looks like another's.
        is_changed = strip_control_chars(name) != name or re.search(r"[\t\r\n]", name) is not None
        is_owner = _key(clean) == _key(OWNER.name)
        if not clean or is_changed or len(clean) > MAX_NAME_CHARS or not clean.isprintable() or is_owner:
            raise InvalidParams(
                f"{name[:80]!r} cannot be a person's name.",
                remedy=f"Give a name of 1 to {MAX_NAME_CHARS} visible characters other than {OWNER.name!r}.",
            )
        token = secrets.token_urlsafe(32)
        person = Person(new_id("p"), clean, role, self._clock.now())
        write = _renew if is_again else _add
        return IssuedToken(await self._db.write(write, person, token_hash(token)), token)

    async def all_people(self) -> tuple[Person, ...]:
        return await self._db.read(people.all_people)

    async def revoke(self, name: str) -> Person:
        """End the person's token at once; their tasks stay, and admins see them."""
        return await self._db.write(_revoke, normalise(name).strip(), self._clock)

    async def with_token(self, token: str) -> Person | None:
        """Whose token it is, None where it is nobody's or was revoked."""
        if len(token) > _MAX_TOKEN_CHARS:
            return None
        return await self.with_hash(token_hash(token))

    async def with_hash(self, token_hash: str) -> Person | None:
        """Whose token has this hash, None where it is nobody's or was revoked."""
        person = await self._db.read(people.with_token, token_hash)
        if person is not None:
            self._note_use(person)
        return person

    async def wait_for_writes(self) -> None:
        """Wait until everything is written down."""
        await asyncio.gather(*self._noting)

    def _note_use(self, person: Person) -> None:
        """Have it written down that the token was used; nobody waits for the writer to read something."""
        now = self._clock.now()
        last = max((one for one in (person.last_used_at, self._noted.get(person.id)) if one is not None), default=None)
        if last is None or now - last > _NOTE_EVERY:
            self._noted[person.id] = now
            noting = asyncio.create_task(self._write_use(person.id, now))
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)

    async def _write_use(self, person_id: str, now: datetime) -> None:
        try:
            await self._db.write(people.note_use, person_id, now)
        except StorageError as exc:
            _log.warning("the use of a token was not written down", error=exc.message)


def token_hash(token: str) -> str:
    """Tokens are long and random, so that a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _key(name: str) -> str:
    """By what names are compared: two that differ in case or width would be taken for each other."""
    return normalise(normalise(name).casefold()).strip()


def _named(connection: "Connection", name: str) -> Person | None:
    """Who has or had the name; the one who writes it just so where there are two from before names were compared."""
    same = [one for one in people.all_people(connection) if _key(one.name) == _key(name)]
    return next((one for one in same if one.name == name), same[0] if same else None)


def _add(connection: "Connection", person: Person, token_hash: str) -> Person:
    known = _named(connection, person.name)
    if known is None:
        people.insert(connection, person, token_hash)
        return person
    if known.revoked_at is None:
        raise _has_token(known)
    raise InvalidParams(
        f"{known.name} had a token before; tasks made under this name would be the new person's.",
        remedy="Choose another name; or add --again where it is the same person.",
    )


def _renew(connection: "Connection", person: Person, token_hash: str) -> Person:
    known = _named(connection, person.name)
    if known is None:
        raise InvalidParams(f"Nobody called {person.name!r} had a token.", remedy="Leave out --again for a new person.")
    if known.revoked_at is None:
        raise _has_token(known)
    people.set_token(connection, known.id, person.role, token_hash)
    return replace(known, role=person.role, revoked_at=None)


def _has_token(known: Person) -> InvalidParams:
    return InvalidParams(
        f"{known.name} has a token already.",
        remedy=f"Choose another name; or, for the same person, first `lyra token revoke {known.name}`.",
    )


def _revoke(connection: "Connection", name: str, clock: Clock) -> Person:
    known = _named(connection, name)
    if known is None or known.revoked_at is not None:
        raise InvalidParams(f"Nobody called {name[:80]!r} has a token.", remedy="`lyra token list` shows who has one.")
    now = clock.now()
    people.revoke(connection, known.id, now)
    return replace(known, revoked_at=now)
