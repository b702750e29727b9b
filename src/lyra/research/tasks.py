"""The life of a task: created with its hypotheses, searched, paused, stopped, continued."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.errors import InvalidParams, NotAllowed, TaskNotFound
from lyra.ids import TASK_ID, derived_id, new_task_id
from lyra.model.claim import Claim
from lyra.model.person import OWNER, Person
from lyra.model.search import SearchStatus
from lyra.model.task import FinalStatus, Hypothesis, Task, TaskConfig, TaskStatus
from lyra.settings import Settings
from lyra.storage import claims, jobs, searches, status, tasks, transactions
from lyra.storage.database import Database
from lyra.text import language_of, normalise
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from apsw import Connection

_REFRESH_EVERY_S = 60.0
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9]{2,8})*")
# ISO 639-1
_LANGUAGES = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo "
    "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka "
    "kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng "
    "nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su "
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split()
)
_FINAL_STATUSES = {"completed": FinalStatus.COMPLETED, "user_cancelled": FinalStatus.CANCELLED}
PAUSED_BY_PERSON = "a person has paused the task; `lyra task resume` continues it"


@dataclass(frozen=True, slots=True)
class StoppedTask:
    final_status: FinalStatus
    total_searches: int
    satisfied_searches: int
    total_claims: int
    primary_source_ratio: float
    unsatisfied_queries: tuple[str, ...]


class Tasks:
    """What a client does with tasks as wholes. A task that the person does not see is not there."""

    def __init__(self, db: Database, clock: Clock, settings: Settings, person: Person = OWNER) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._person = person

    @property
    def person(self) -> Person:
        """Who asks."""
        return self._person

    async def create(self, query: str, config: TaskConfig) -> tuple[Task, list[str]]:
        """A new task and the ids of its hypotheses as claims, in the order given."""
        limit = self._settings.server.max_query_chars
        task = Task(
            id=new_task_id(),
            query=checked_text(query, "query", limit),
            status=TaskStatus.CREATED,
            created_at=self._clock.now(),
            budget=config.budget,
            priority_domains=tuple(dict.fromkeys(registrable_domain(name.strip()) for name in config.priority_domains)),
            language=_checked_language(config.language),
            settings_digest=self._settings.digest(),
            owner=self._person.id or None,
        )
        claims = [self._claim(task, hypothesis, limit) for hypothesis in config.hypotheses]
        await self._db.write(transactions.create_task, task, claims)
        return task, [claim.id for claim in claims]

    def _claim(self, task: Task, hypothesis: Hypothesis, limit: int) -> Claim:
        text = checked_text(hypothesis.text, "hypotheses", limit)
        return Claim(
            id=claim_id(task.id, text),
            task_id=task.id,
            claim_text=text,
            language=language_of(text),
            created_at=task.created_at,
            expected_polarity=hypothesis.expected_polarity,
            granularity=hypothesis.granularity,
            is_hypothesis=True,
        )

    async def get(self, task_id: str) -> Task:
        """The task, or TASK_NOT_FOUND for an unknown or malformed id."""
        return await visible_task(self._db, self._person, task_id)

    def visible(self, task: Task) -> Task:
        """The same task; TASK_NOT_FOUND where the person does not see it."""
        return seen_by(self._person, task)

    async def is_visible(self, task_id: str) -> bool:
        """Whether the person sees this task, which exists."""
        if self._person.sees_everything:
            return True
        task = await self._db.read(tasks.get, task_id)
        return self._person.sees(task.owner, is_shared=task.is_shared)

    async def get_own(self, task_id: str) -> Task:
        """The task, where the person may change it; NotAllowed where it is only shared with them."""
        return await own_task(self._db, self._person, task_id)

    async def share(self, task_id: str, *, is_shared: bool) -> Task:
        """Let everyone with a token see the task, or no longer."""
        task = await self.get_own(task_id)
        await self._db.write(tasks.set_shared, task.id, is_shared=is_shared)
        return await self.get(task.id)

    async def claims(self, task_id: str) -> tuple[Claim, ...]:
        """The task's claims in the order they entered the graph."""
        return await self._db.read(claims.of_task, task_id)

    async def record_call(self, task_id: str) -> Task:
        """The task, after recording that a client calls now; work that paused because no client called continues.

        Of somebody who may only read it, nothing is recorded.
        """
        task = await self.get(task_id)
        if self._person.may_change(task.owner):
            await self._db.write(_record_call, task.id, self._clock.now())
        return task

    async def pause(self, task_id: str) -> Task:
        """Pause the task: pages under way are finished, the rest waits until somebody resumes it."""
        task = await self.get_own(task_id)
        await self._db.write(_pause, task.id, self._clock.now())
        return await self.get(task.id)

    async def resume(self, task_id: str) -> Task:
        """Continue a task that was paused, by a person or because no client called."""
        task = await self.get_own(task_id)
        await self._db.write(_resume, task.id, self._clock.now())
        return await self.get(task.id)

    async def recent(self, limit: int) -> tuple[Task, ...]:
        """The newest tasks first."""
        return await self._db.read(tasks.recent, limit, self._person)

    async def stop(self, task_id: str, reason: str) -> StoppedTask:
        """End the task: running searches are cancelled, the graph stays."""
        task = await self.get_own(task_id)
        final = _FINAL_STATUSES.get(reason, FinalStatus.PARTIAL)
        await self._db.write(transactions.stop_task, task.id, final, reason, self._clock.now())
        return await self._summary(task.id, final)

    async def _summary(self, task_id: str, final: FinalStatus) -> StoppedTask:
        found = await self._db.read(searches.of_task, task_id)
        totals = await self._db.read(status.totals, task_id)
        satisfied = [search for search in found if search.status is SearchStatus.SATISFIED]
        return StoppedTask(
            final_status=final,
            total_searches=len(found),
            satisfied_searches=len(satisfied),
            total_claims=totals.claims,
            primary_source_ratio=totals.primary_source_ratio,
            unsatisfied_queries=tuple(s.query for s in found if s.status is not SearchStatus.SATISFIED),
        )


async def visible_task(db: Database, person: Person, task_id: str) -> Task:
    """The task; TASK_NOT_FOUND for an unknown or malformed id, or a task that the person does not see."""
    return seen_by(person, await db.read(tasks.get, checked_id(task_id)))


def seen_by(person: Person, task: Task) -> Task:
    """The same task; TASK_NOT_FOUND where the person does not see it."""
    if not person.sees(task.owner, is_shared=task.is_shared):
        raise TaskNotFound(task.id)
    return task


def checked_id(task_id: str) -> str:
    """The same id; TASK_NOT_FOUND where it is malformed."""
    if not TASK_ID.fullmatch(task_id):
        raise TaskNotFound(task_id)
    return task_id


async def own_task(db: Database, person: Person, task_id: str) -> Task:
    """The task, where the person may change it; NotAllowed where it is only shared with them."""
    task = await visible_task(db, person, task_id)
    if not person.may_change(task.owner):
        raise NotAllowed(
            f"The task {task.id} belongs to somebody else; it can be read, not changed.",
            remedy="Make a task of your own with create_task, or ask its owner.",
        )
    return task


class ClientKeepAlive:
    """A client that waits for an answer is no silent one: noted at once, and again every minute."""

    def __init__(self, tasks_: Tasks, clock: Clock, task_id: str) -> None:
        self._tasks = tasks_
        self._clock = clock
        self._task_id = task_id
        self._next = clock.monotonic()

    async def refresh(self) -> None:
        """Note it where that is due; raises TaskNotFound."""
        if self._clock.monotonic() >= self._next:
            await self._tasks.record_call(self._task_id)
            self._next = self._clock.monotonic() + _REFRESH_EVERY_S


def _record_call(connection: "Connection", task_id: str, now: datetime) -> None:
    tasks.touch(connection, task_id, now)
    if tasks.get(connection, task_id).held_at is None and jobs.resume(connection, task_id, now):
        tasks.set_status(connection, task_id, TaskStatus.EXPLORING)


def _pause(connection: "Connection", task_id: str, now: datetime) -> None:
    task = tasks.get(connection, task_id)
    if task.status is TaskStatus.COMPLETED:
        raise InvalidParams(f"The task {task_id} has ended.", remedy="There is nothing to pause.")
    tasks.hold(connection, task_id, task.held_at or now)
    tasks.set_status(connection, task_id, TaskStatus.PAUSED, reason=PAUSED_BY_PERSON)


def _resume(connection: "Connection", task_id: str, now: datetime) -> None:
    task = tasks.get(connection, task_id)
    tasks.hold(connection, task_id, None)
    if jobs.resume(connection, task_id, now) or (task.held_at is not None and task.status is TaskStatus.PAUSED):
        tasks.set_status(connection, task_id, TaskStatus.EXPLORING)


def claim_id(task_id: str, text: str) -> str:
    """The same statement within a task is the same claim."""
    return derived_id("c", task_id, normalise(text).casefold())


def checked_text(text: str, name: str, limit: int) -> str:
    """The text in normal form, or INVALID_PARAMS where it is empty or too long."""
    if len(text) > 4 * limit:
        raise _too_long(name, len(text), limit)
    clean = normalise(text).strip()
    if not clean:
        raise InvalidParams(f"{name} is empty.", remedy=f"Give {name} some words.")
    if len(clean) > limit:
        raise _too_long(name, len(clean), limit)
    return clean


def _checked_language(given: str | None) -> str | None:
    """The language of a code such as ja or ja-JP, or INVALID_PARAMS where it is none."""
    if given is None:
        return None
    found = _LANGUAGE.fullmatch(given.strip())
    code = found.group(1).lower() if found else ""
    if code not in _LANGUAGES:
        raise InvalidParams(
            f"{given[:40]!r} is not a language code.", remedy="Give a code of ISO 639-1 such as en or ja."
        )
    return code


def _too_long(name: str, length: int, limit: int) -> InvalidParams:
    return InvalidParams(
        f"{name} has {length} characters; at most {limit} are taken.",
        remedy="Shorten it: ask one thing at a time.",
        details={"length": length, "limit": limit},
    )
