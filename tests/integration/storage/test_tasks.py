"""Records of tasks."""

from datetime import timedelta

import pytest

from lyra.errors import StorageError, TaskNotFound
from lyra.model.task import Budget, TaskStatus
from lyra.storage import tasks


async def test_a_task_comes_back_as_it_was_stored(db, make):
    """Every field survives, Japanese and lists included."""
    task = make.task(
        query="DPP-4阻害薬は安全か",
        priority_domains=("pmda.go.jp", "nejm.org"),
        language="ja",
        budget=Budget(10, 60.5),
        settings_digest="abc123",
        last_call_at=make.now,
    )

    await db.write(tasks.insert, task)

    assert await db.read(tasks.get, task.id) == task


async def test_an_unknown_task_is_not_found(db, make):
    """Reading and changing what is not there give the same typed error."""
    with pytest.raises(TaskNotFound):
        await db.read(tasks.get, "task_ffffffffffff")
    with pytest.raises(TaskNotFound):
        await db.write(tasks.touch, "task_ffffffffffff", make.now)


async def test_recent_tasks_come_newest_first(db, make):
    """`lyra task list` shows what the user did last."""
    older = make.task("task_000000000001", created_at=make.now - timedelta(days=1))
    await db.write(tasks.insert, older)
    await db.write(tasks.insert, make.task())

    found = await db.read(tasks.recent, 1)

    assert found == (make.task(),)


async def test_usage_and_budget_add_up(db, make):
    """Pages and seconds count against the budget; an extension raises it."""
    await db.write(tasks.insert, make.task())
    await db.write(tasks.add_usage, make.task_id, 3, 12.5)
    await db.write(tasks.add_usage, make.task_id, 1, 0.5)
    await db.write(tasks.extend_budget, make.task_id, 10, 100.0)

    task = await db.read(tasks.get, make.task_id)

    assert (task.pages_used, task.seconds_used, task.budget) == (4, 13.0, Budget(130, 1300.0))


async def test_a_task_that_goes_on_loses_its_end(db, make):
    """A stopped task can be searched again: then it has neither final status nor reason."""
    await db.write(tasks.insert, make.task())
    await db.write(
        tasks.set_status, make.task_id, TaskStatus.COMPLETED, final_status="partial", reason="budget_exhausted"
    )
    ended = await db.read(tasks.get, make.task_id)
    await db.write(tasks.set_status, make.task_id, TaskStatus.EXPLORING)

    again = await db.read(tasks.get, make.task_id)

    assert (ended.status, ended.final_status, ended.reason) == (TaskStatus.COMPLETED, "partial", "budget_exhausted")
    assert (again.status, again.final_status, again.reason) == (TaskStatus.EXPLORING, None, None)


async def test_the_schema_itself_refuses_nonsense(db, make):
    """An empty question or a negative budget cannot be stored by any path."""
    with pytest.raises(StorageError):
        await db.write(tasks.insert, make.task(query=""))
    with pytest.raises(StorageError):
        await db.write(tasks.insert, make.task(budget=Budget(-1, 60)))

    assert await db.read(tasks.recent, 10) == ()


async def test_deleting_a_task_takes_its_own_and_leaves_what_is_global(db, make, graph):
    """Claims, edges, digests and jobs go with the task; pages, fragments and the other task's claims stay."""
    await db.write(lambda c: c.execute("delete from tasks where id = ?", (make.task_id,)))

    sql = """
        select (select count(*) from claims), (select count(*) from edges where relation <> 'cites'),
            (select count(*) from claim_mentions), (select count(*) from claim_years),
            (select count(*) from task_pages), (select count(*) from queries), (select count(*) from pages),
            (select count(*) from fragments)
    """
    assert await db.read(lambda c: c.execute(sql).fetchone()) == (1, 1, 0, 1, 1, 0, 5, 6)
