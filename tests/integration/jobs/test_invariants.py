"""What holds whatever happens: jobs, leases and slots under random orders of events, over a real database."""

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lyra.clock import stamp
from lyra.model.job import Job, JobState, Priority, Slot, SlotUse
from lyra.model.task import Budget, Task, TaskStatus
from lyra.storage import jobs, slots, tasks
from lyra.storage.connection import connect, create_file
from lyra.storage.migrate import migrate

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LEASE = timedelta(seconds=15)
TASKS = ("task_000000000001", "task_000000000002")
OWNERS = ("p1", "p2")
SEATS = {Slot.GPU: 1, Slot.BROWSER_HEADFUL: 1, Slot.NETWORK_CLIENT: 4}
URGENCIES = (Priority.SERP, Priority.EMBED)
ENDED = {JobState.DONE, JobState.FAILED, JobState.CANCELLED}


@dataclass
class Known:
    """What the test itself remembers of a job."""

    task_id: str
    priority: int
    endings: int = 0
    holders: dict[str, datetime] = field(default_factory=dict)


class OverSqlite(RuleBasedStateMachine):
    """A fresh database, and time that passes only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "lyra.db"
        create_file(path)
        self.db: apsw.Connection = connect(path)
        migrate(self.db, path)
        self.now = NOON

    def teardown(self) -> None:
        self.db.close()
        self.folder.cleanup()

    @rule(seconds=st.sampled_from([1, 20]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)


class Queue(OverSqlite):
    """Processes that claim, finish, stop and die; people who pause and cancel."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, Known] = {}
        self.held: set[str] = set()
        for task_id in TASKS:
            tasks.insert(self.db, Task(task_id, "心不全", TaskStatus.EXPLORING, NOON, Budget()))

    @rule(task_id=st.sampled_from(TASKS), priority=st.sampled_from(sorted(Priority)))
    def enqueue(self, task_id: str, priority: int) -> None:
        name = f"j_{len(self.known):03}"
        self.known[name] = Known(task_id, priority)
        job = Job(name, "search", JobState.QUEUED, self.now, task_id=task_id, priority=priority, cause_id="s_1")
        assert jobs.enqueue(self.db, job) is True

    @rule(owner=st.sampled_from(OWNERS))
    def claim(self, owner: str) -> None:
        free = self.claimable()

        job = jobs.claim_next(self.db, owner, self.now, self.now + LEASE, ("search",))

        best = max((self.known[name].priority for name in free), default=None)
        assert (job.priority if job else None) == best
        assert (job.id if job else None) in (free or {None})
        if job is not None:
            self.known[job.id].holders[owner] = self.now + LEASE

    def claimable(self) -> set[str]:
        """By the rule in words: waiting or abandoned, its task neither held nor at work."""
        found = {job.id: job for job in self.stored()}
        busy = {job.task_id for job in found.values() if self.is_running(job)}
        open_ = {job.id for job in found.values() if job.state is JobState.QUEUED or self.is_abandoned(job)}
        return {name for name in open_ if found[name].task_id not in busy | self.held}

    @rule(owner=st.sampled_from(OWNERS), state=st.sampled_from([JobState.DONE, JobState.FAILED, JobState.PAUSED]))
    def finish(self, owner: str, state: JobState) -> None:
        for name, known in self.known.items():
            if owner in known.holders:
                del known.holders[owner]
                was_set = jobs.finish(self.db, name, owner, state, None, self.now)
                known.endings += was_set and state in ENDED
                return

    @rule(owner=st.sampled_from(OWNERS))
    def beat(self, owner: str) -> None:
        mine = [name for name, known in self.known.items() if owner in known.holders]
        kept = jobs.heartbeat(self.db, owner, mine, self.now + LEASE)
        for name in mine:
            if name in kept:
                self.known[name].holders[owner] = self.now + LEASE
            else:
                del self.known[name].holders[owner]

    @rule(owner=st.sampled_from(OWNERS))
    def die(self, owner: str) -> None:
        """kill −9: it never speaks again; a new process takes its name."""
        for known in self.known.values():
            known.holders.pop(owner, None)

    @rule(owner=st.sampled_from(OWNERS))
    def stop_in_order(self, owner: str) -> None:
        jobs.release(self.db, owner, self.now)
        for known in self.known.values():
            known.holders.pop(owner, None)

    @rule(task_id=st.sampled_from(TASKS))
    def cancel(self, task_id: str) -> None:
        count = jobs.cancel(self.db, task_id, self.now)
        cancelled = [job for job in self.stored() if job.state is JobState.CANCELLED and job.task_id == task_id]
        fresh = [job for job in cancelled if self.known[job.id].endings == 0]
        assert len(fresh) == count
        for job in fresh:
            self.known[job.id].endings += 1

    @rule(task_id=st.sampled_from(TASKS), is_held=st.booleans())
    def hold(self, task_id: str, is_held: bool) -> None:
        tasks.hold(self.db, task_id, self.now if is_held else None)
        self.held = self.held | {task_id} if is_held else self.held - {task_id}

    @rule(task_id=st.sampled_from(TASKS))
    def resume(self, task_id: str) -> None:
        jobs.resume(self.db, task_id, self.now)

    def stored(self) -> tuple[Job, ...]:
        return tuple(job for task_id in TASKS for job in jobs.of_task(self.db, task_id))

    def is_running(self, job: Job) -> bool:
        return job.state is JobState.RUNNING and job.lease_until is not None and job.lease_until > self.now

    def is_abandoned(self, job: Job) -> bool:
        return job.state is JobState.RUNNING and not self.is_running(job)

    @invariant()
    def nothing_is_lost_and_nothing_is_doubled(self) -> None:
        assert {job.id for job in self.stored()} == set(self.known)
        assert all(known.endings <= 1 for known in self.known.values())

    @invariant()
    def a_task_works_on_one_job_at_a_time(self) -> None:
        running = [job.task_id for job in self.stored() if self.is_running(job)]
        assert len(running) == len(set(running))

    @invariant()
    def a_job_belongs_to_one_process(self) -> None:
        for job in self.stored():
            living = [owner for owner, until in self.known[job.id].holders.items() if until > self.now]
            assert len(living) <= 1 or job.state in ENDED

    @invariant()
    def every_change_is_in_the_journal(self) -> None:
        told = dict(
            self.db.execute(
                """
                select subject, details ->> 'became'
                from event_log
                where id in (select max(id) from event_log where kind = 'job' group by subject)
                """
            ).fetchall()
        )
        assert told == {job.id: job.state for job in self.stored()}


class Seats(OverSqlite):
    """Uses of slots by several processes, some of which die without a word."""

    def __init__(self) -> None:
        super().__init__()
        self.uses: dict[str, SlotUse] = {}
        self.count = 0

    @rule(owner=st.sampled_from(OWNERS), slot=st.sampled_from(sorted(SEATS)), priority=st.sampled_from(URGENCIES))
    def ask_for_a_seat(self, owner: str, slot: Slot, priority: int) -> None:
        self.count += 1
        use = SlotUse(f"{owner}/u_{self.count:03}", slot, priority)
        self.uses[use.id] = use
        self.take(use)

    @precondition(lambda self: self.uses)
    @rule(data=st.data())
    def ask_again(self, data: st.DataObject) -> None:
        self.take(self.uses[data.draw(st.sampled_from(sorted(self.uses)))])

    @precondition(lambda self: self.uses)
    @rule(data=st.data())
    def die(self, data: st.DataObject) -> None:
        """The use is never heard of again; its seat or place in line lapses."""
        del self.uses[data.draw(st.sampled_from(sorted(self.uses)))]

    @precondition(lambda self: self.uses)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        use_id = data.draw(st.sampled_from(sorted(self.uses)))
        slots.release_seat(self.db, use_id)
        del self.uses[use_id]

    def take(self, use: SlotUse) -> None:
        """A seat is given only where one is free, and never while enough more urgent ones stand in the same line."""
        others = self.db.execute(
            """
            select name glob 'slot:*', priority
            from leases
            where name glob '*:' || ? || '/*' and until > ? and owner <> ?
            """,
            (use.room, stamp(self.now), use.id),
        ).fetchall()
        free = SEATS[use.slot] - sum(1 for has_seat, _ in others if has_seat)
        more_urgent = sum(1 for has_seat, priority in others if not has_seat and priority > use.priority)
        had = self.has_seat(use)

        got = slots.take(self.db, use, SEATS[use.slot], self.now, self.now + LEASE, self.now + timedelta(seconds=2))

        assert got is had or (got and free > more_urgent)

    def has_seat(self, use: SlotUse) -> bool:
        sql = "select 1 from leases where owner = ? and name glob 'slot:*' and until > ?"
        return self.db.execute(sql, (use.id, stamp(self.now))).get is not None

    @invariant()
    def slots_keep_to_their_seats(self) -> None:
        held = slots.taken_seats(self.db, self.now)
        assert all(count <= SEATS[Slot(slot)] for slot, count in held.items())
        assert held.get(Slot.GPU, 0) + held.get(Slot.BROWSER_HEADFUL, 0) <= 1


OFTEN = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TestQueue = Queue.TestCase
TestQueue.settings = OFTEN
TestSeats = Seats.TestCase
TestSeats.settings = OFTEN
