"""People of a shared server: their tokens, what each may do, and that nobody reaches another's task."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from lyra.app import Lyra
from lyra.errors import InvalidParams, NotAllowed, TaskNotFound
from lyra.mcp.boundary import Boundary
from lyra.mcp.drafts import check_draft, check_file
from lyra.mcp.server import TOOLS
from lyra.model.handoff import Handoff
from lyra.model.person import Person, Role
from lyra.model.search import SearchOptions
from lyra.model.task import Hypothesis, Task, TaskConfig
from lyra.research.people import People
from lyra.research.searches import no_progress
from lyra.settings import load
from lyra.storage import handoffs
from lyra.storage.database import Database
from tests.clocks import HeldClock


@pytest.fixture
async def lyra(tmp_path: Path) -> AsyncIterator[Lyra]:
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as opened:
        yield opened


async def person(lyra: Lyra, name: str, role: Role = Role.RESEARCHER) -> tuple[Person, Lyra]:
    """A new person, and Lyra as they see it."""
    issued = await lyra.people.add(name, role)
    return issued.person, lyra.seen_by(issued.person)


async def task_of(lyra: Lyra) -> Task:
    task, _ = await lyra.tasks.create("Is it so?", TaskConfig(hypotheses=(Hypothesis("It is so."),)))
    return task


async def call(lyra: Lyra, tool: str, **arguments: Any) -> dict[str, Any]:
    boundary = Boundary(lyra, TOOLS, max_answer_bytes=24_000, person=lyra.person)
    return await boundary.call(tool, arguments, no_progress)


async def test_token_names_its_person_until_it_is_revoked(lyra: Lyra) -> None:
    """Of the token only a hash is in the database, and a revoked one is nobody's."""
    issued = await lyra.people.add("Sato Hanako", Role.READER)

    before = await lyra.people.with_token(issued.token)
    await lyra.people.revoke("Sato Hanako")
    after = await lyra.people.with_token(issued.token)

    kept = await lyra.db.read(lambda connection: list(connection.execute("select * from people")))
    assert before is not None
    assert (before.name, before.role, after) == ("Sato Hanako", Role.READER, None)
    assert issued.token not in str(kept)


async def test_revoked_person_comes_back_with_another_token_and_their_tasks(lyra: Lyra) -> None:
    """The same person, so that their tasks are theirs again; the old token stays worthless."""
    mori, hers = await person(lyra, "Mori")
    task = await task_of(hers)
    await lyra.people.revoke("Mori")

    again = await lyra.people.add("mori", Role.ADMIN, is_again=True)

    assert (again.person.id, again.person.role) == (mori.id, Role.ADMIN)
    assert (await lyra.seen_by(again.person).tasks.get_own(task.id)).id == task.id


async def test_namesake_of_a_revoked_person_inherits_nothing(lyra: Lyra) -> None:
    """The name stays theirs: another person needs another one."""
    await person(lyra, "Mori")
    await lyra.people.revoke("Mori")

    with pytest.raises(InvalidParams) as caught:
        await lyra.people.add("Mori", Role.ADMIN)

    assert (caught.value.message, caught.value.remedy) == (
        "Mori had a token before; tasks made under this name would be the new person's.",
        "Choose another name; or add --again where it is the same person.",
    )


async def test_nobody_comes_back_who_was_never_there(lyra: Lyra) -> None:
    """The option for the same person makes no new one."""
    with pytest.raises(InvalidParams, match="Nobody called 'Mori' had a token"):
        await lyra.people.add("Mori", Role.READER, is_again=True)

    assert await lyra.people.all_people() == ()


@pytest.mark.parametrize("name", ["alice", "ALICE", "Ａｌｉｃｅ", "Owner"])
async def test_names_that_differ_in_case_or_width_are_one(lyra: Lyra, name: str) -> None:
    """Nobody passes for another by writing their name a little differently."""
    await person(lyra, "Alice")

    with pytest.raises(InvalidParams):
        await lyra.people.add(name, Role.ADMIN)

    assert [one.name for one in await lyra.people.all_people()] == ["Alice"]


async def test_token_is_revoked_by_a_name_in_another_case(lyra: Lyra) -> None:
    """The same comparison as when it was made."""
    await person(lyra, "Straße")

    revoked = await lyra.people.revoke("STRASSE")

    assert revoked.name == "Straße"


async def test_question_of_another_is_an_unknown_one(lyra: Lyra) -> None:
    """A wait belongs to who asked; admins read all."""
    _, hers = await person(lyra, "Alice")
    _, his = await person(lyra, "Bob")
    options = {"wait_seconds": 0}
    asked = await call(hers, "wait_for_user", prompt="Which city?", options=options)
    await lyra.questions.answer(asked["wait_id"], "Sakai", "terminal")

    own, others, admins, unknown = [
        await call(seen, "wait_for_user", prompt="", options={**options, "wait_id": wait_id})
        for seen, wait_id in (
            (hers, asked["wait_id"]),
            (his, asked["wait_id"]),
            (lyra, asked["wait_id"]),
            (his, "wait_0"),
        )
    ]

    assert [own["response"], admins["response"]] == ["Sakai", "Sakai"]
    assert others["error"] == unknown["error"].replace("wait_0", asked["wait_id"])
    assert others["error_code"] == "INVALID_PARAMS"


async def test_waiting_page_of_another_is_an_unknown_one(lyra: Lyra) -> None:
    """Deciding on it tells neither its task nor that it waits."""
    _, hers = await person(lyra, "Alice")
    _, his = await person(lyra, "Bob")
    task = await task_of(hers)
    search = await hers.searches.start(task.id, "so", SearchOptions())
    item = Handoff("auth_1", task.id, search.id, "a.example", "https://a.example/", "captcha", lyra.clock.now())
    await lyra.db.write(handoffs.insert, item)

    hidden, missing = [
        await call(his, "resolve_auth", target="item", data={"auth_id": one, "status": "skipped"})
        for one in ("auth_1", "auth_0")
    ]

    assert hidden["error_code"] == "INVALID_PARAMS"
    assert hidden["error"] == missing["error"].replace("auth_0", "auth_1")


async def test_word_on_a_page_tells_of_own_tasks_alone(lyra: Lyra) -> None:
    """It opens the domain in every task; which tasks of others waited for it is not said, except to admins."""
    seen = [(await person(lyra, name))[1] for name in ("Alice", "Bob")]
    made = [await task_of(one) for one in seen]
    runs = [await one.searches.start(task.id, "so", SearchOptions()) for one, task in zip(seen, made, strict=True)]
    for number, (task, run) in enumerate(zip(made, runs, strict=True)):
        url = f"https://a.example/{number}"
        item = Handoff(f"auth_{number}", task.id, run.id, "a.example", url, "captcha", lyra.clock.now())
        await lyra.db.write(handoffs.insert, item)

    answer = await call(seen[1], "resolve_auth", target="item", data={"auth_id": "auth_1", "status": "resolved"})

    assert (answer["affected_tasks"], answer["unblocked_searches"]) == ([made[1].id], [runs[1].id])


@pytest.mark.parametrize("name", ["", "  ", "owner", "x" * 61, "\u200b", "Mori\x1b[2J", "Mo\u202eri", "Mo\nri"])
async def test_names_that_cannot_be_shown_are_refused(lyra: Lyra, name: str) -> None:
    """Empty, too long, with characters that nobody sees, or the owner's own."""
    with pytest.raises(InvalidParams):
        await lyra.people.add(name, Role.READER)


async def test_name_keeps_its_wide_space(lyra: Lyra) -> None:
    """The space of a Japanese keyboard is no control character."""
    issued = await lyra.people.add("佐藤\u3000花子", Role.READER)

    assert issued.person.name == "佐藤 花子"


async def test_second_token_for_one_name_is_refused(lyra: Lyra) -> None:
    """Whoever has a token gets no second one under the same name."""
    await lyra.people.add("Ito", Role.READER)

    with pytest.raises(InvalidParams, match="Ito has a token already"):
        await lyra.people.add("Ito", Role.ADMIN)


async def test_task_of_another_is_not_there(lyra: Lyra) -> None:
    """Neither the task, nor its searches, status, report or place in the list; the owner sees everything."""
    _, hers = await person(lyra, "Mori")
    _, his = await person(lyra, "Ito")
    task = await task_of(hers)
    search = await hers.searches.start(task.id, "so", SearchOptions())

    with pytest.raises(TaskNotFound):
        await his.tasks.get(task.id)
    with pytest.raises(InvalidParams, match="There is no search"):
        await his.searches.get(search.id)
    with pytest.raises(TaskNotFound):
        await his.status.wait(task.id, 0)
    listed = [[one.id for one in await seen.tasks.recent(10)] for seen in (his, hers, lyra)]
    found = await his.graph.similar("It is so.", target="claims", task_id=None, top_k=5, min_similarity=0)
    mine = await hers.graph.similar("It is so.", target="claims", task_id=None, top_k=5, min_similarity=0)

    assert listed == [[], [task.id], [task.id]]
    assert (found.total_searched, mine.total_searched) == (0, 1)


async def test_shared_task_is_read_and_not_changed(lyra: Lyra) -> None:
    """A reader sees its status; searching, stopping and unsharing stay with its owner."""
    _, hers = await person(lyra, "Mori")
    _, his = await person(lyra, "Ito")
    task = await task_of(hers)
    await hers.tasks.share(task.id, is_shared=True)

    status = await his.status.wait(task.id, 0)
    refused = []
    for attempt in (
        his.searches.start(task.id, "so", SearchOptions()),
        his.tasks.stop(task.id, "completed"),
        his.tasks.share(task.id, is_shared=False),
    ):
        with pytest.raises(NotAllowed) as caught:
            await attempt
        refused.append(caught.value.code)

    assert status.task.last_call_at is None  # reading keeps no paused work alive
    assert [one.claim.claim_text for one in status.hypotheses] == ["It is so."]
    assert refused == ["INVALID_PARAMS"] * 3


@pytest.mark.parametrize(
    ("tool", "arguments", "role"),
    [
        ("create_task", {"query": "x"}, Role.RESEARCHER),
        ("search", {"task_id": "task_000000000000", "query": "x"}, Role.RESEARCHER),
        ("stop_task", {"task_id": "task_000000000000"}, Role.RESEARCHER),
        ("wait_for_user", {"prompt": "x"}, Role.RESEARCHER),
        ("notify_user", {"event": "info", "payload": {"message": "x"}}, Role.ADMIN),
        ("calibrate_rollback", {"source": "nli_judge"}, Role.ADMIN),
        (
            "calibrate",
            {"action": "add_sample", "data": {"source": "nli_judge", "prediction": [0.9], "actual": "true"}},
            Role.ADMIN,
        ),
        (
            "calibrate",
            {"action": "evaluate", "data": {"source": "nli_judge", "predictions": [0.9], "labels": ["true"]}},
            Role.ADMIN,
        ),
        (
            "resolve_auth",
            {"target": "domain", "data": {"domain": "example.org", "status": "resolved"}},
            Role.RESEARCHER,
        ),
    ],
)
async def test_reader_is_told_which_role_a_call_needs(
    lyra: Lyra, tool: str, arguments: dict[str, Any], role: Role
) -> None:
    """Typed, with the role, before anything is done."""
    _, seen = await person(lyra, "Sato", Role.READER)

    answer = await call(seen, tool, **arguments)

    assert (answer["ok"], answer["error_code"]) == (False, "INVALID_PARAMS")
    assert answer["error"] == f"This needs the role {role.value}; yours is reader."


async def test_researcher_decides_on_no_domain(lyra: Lyra) -> None:
    """A word on a domain opens it in every task, also in those of others."""
    _, seen = await person(lyra, "Mori")

    answer = await call(seen, "resolve_auth", target="domain", data={"domain": "example.org", "status": "resolved"})

    assert answer["error"] == "This needs the role admin; yours is researcher."


async def test_drafts_of_the_shared_folder_are_the_admins(lyra: Lyra) -> None:
    """A researcher has a text of their own checked, and cannot name a file in which another's draft may lie."""
    _, seen = await person(lyra, "Mori")
    task = await task_of(seen)

    with pytest.raises(NotAllowed):
        await check_draft(seen, task.id, "draft.md", with_resolved=False)
    with pytest.raises(NotAllowed):
        await check_file(seen, task.id, "draft.md")


async def test_who_asks_does_not_wait_for_the_writer(db: Database, clock: HeldClock) -> None:
    """The use of a token is written down beside the request, once a minute however often it is used."""
    people = People(db, clock)
    issued = await people.add("Sato", Role.READER)
    is_free = threading.Event()
    writing = asyncio.create_task(db.write(lambda _: is_free.wait(20)))
    await asyncio.sleep(0)

    found = [await people.with_token(issued.token) for _ in range(3)]
    pending = len(people._noting)
    is_free.set()
    await writing
    await people.wait_for_writes()

    (after,) = await people.all_people()
    assert (found, pending) == ([issued.person] * 3, 1)
    assert after.last_used_at == clock.now()
