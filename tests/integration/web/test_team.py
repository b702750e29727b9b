"""The dashboard of a shared server: who signs in sees their own and the shared tasks, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from lyra.clock import SystemClock
from lyra.model.person import Role
from lyra.request_limits import MAX_REFUSALS, RequestLimits
from lyra.storage import tasks
from lyra.web.app import team_application

from .conftest import EMPTY, HYPOTHESIS, PAGE_FOR, TASK, Dashboard, claim_id, edge_id, page_id

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = "https://team.example"
OWNER_TOKEN = "o" * 43
HIDDEN = [
    f"/tasks/{TASK}",
    f"/tasks/{TASK}/claims",
    f"/tasks/{TASK}/graph",
    f"/tasks/{TASK}/graph.json",
    f"/tasks/{TASK}/timeline",
    f"/tasks/{TASK}/sources",
    f"/tasks/{TASK}/review",
    f"/claims/{claim_id(HYPOTHESIS)}",
    f"/pages/{page_id(PAGE_FOR)}",
    f"/pages/{page_id(PAGE_FOR)}/copy",
    f"/pages/{page_id(PAGE_FOR)}/file",
    f"/pages/{page_id(PAGE_FOR)}/screenshot",
    f"/live?task={TASK}",
]


SCREENS = ("/", "/search?q=meals", "/waiting")
WORDS = ("Do school meals", "/claims/", 'value="skipped"')


class Server:
    """The dashboard of a team over the same Lyra as the other screens."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.lyra = dashboard.lyra
        limits = RequestLimits(SystemClock(), 1_000)
        self._app = team_application(self.lyra, OWNER_TOKEN, limits, asyncio.Event())

    @asynccontextmanager
    async def browser(self, token: str | None = None) -> AsyncIterator[httpx2.AsyncClient]:
        """A browser, signed in where it has a token."""
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(self._app), base_url=ROOT) as client:
            if token is not None:
                await self.sign_in(client, token)
            yield client

    async def sign_in(self, client: httpx2.AsyncClient, token: str) -> httpx2.Response:
        return await client.post("/open", data={"token": token}, headers={"Origin": ROOT})

    async def token_of(self, name: str, role: Role = Role.RESEARCHER) -> str:
        return (await self.lyra.people.add(name, role)).token


def secret_of(screen: httpx2.Response) -> str:
    """The secret of the forms on a screen."""
    return screen.text.partition('name="form_secret" value="')[2].partition('"')[0]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(dashboard: Dashboard) -> Server:
    return Server(dashboard)


async def test_without_signing_in_there_is_only_the_form(server: Server) -> None:
    """Every screen leads to it; a wrong token is refused without saying why."""
    async with server.browser() as browser:
        screen = await browser.get(f"/tasks/{TASK}")
        form = await browser.get("/open")
        wrong = await server.sign_in(browser, "x" * 43)

    assert (screen.status_code, screen.headers["location"]) == (303, "/open")
    assert (form.status_code, wrong.status_code, "set-cookie" in wrong.headers) == (200, 401, False)


async def test_cookie_is_for_this_host_alone_and_not_for_scripts(server: Server) -> None:
    """Over TLS, to this host, from its own pages."""
    async with server.browser() as browser:
        entered = await server.sign_in(browser, OWNER_TOKEN)

    name, *attributes = entered.headers["set-cookie"].split("; ")
    assert name.startswith("__Host-lyra=")
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=strict", "Secure"]


async def test_what_is_not_theirs_is_not_there(server: Server) -> None:
    """No screen of a task that belongs to the admins, no trace in lists or search; the owner sees them."""
    async with server.browser(await server.token_of("Mori")) as hers, server.browser(OWNER_TOKEN) as owners:
        statuses = {path: (await hers.get(path)).status_code for path in HIDDEN}
        screens = [(await hers.get(path)).text for path in SCREENS]
        whole = [(await owners.get(path)).text for path in SCREENS]

    found = [[word in text.partition("<main")[2] for word, text in zip(WORDS, seen, strict=True)]
             for seen in (screens, whole)]  # fmt: skip
    assert statuses == dict.fromkeys(HIDDEN, 404)
    assert found == [[False] * 3, [True] * 3]


@pytest.mark.parametrize(
    "path",
    [
        "/tasks/{}",
        "/tasks/{}/claims",
        "/tasks/{}/graph",
        "/tasks/{}/graph.json",
        "/tasks/{}/timeline",
        "/tasks/{}/sources",
        "/tasks/{}/review",
        "/tasks/{}/export/evidence.json",
        "/live?task={}",
    ],
)
async def test_task_of_another_is_answered_like_an_unknown_one(server: Server, path: str) -> None:
    """The answer tells nothing but the id that was asked for."""
    unknown = "task_0000000000ff"
    async with server.browser(await server.token_of(f"Mori {path}")) as hers:
        hidden = await hers.get(path.format(TASK))
        missing = await hers.get(path.format(unknown))

    assert (hidden.status_code, hidden.text) == (404, missing.text.replace(unknown, TASK))


@pytest.mark.parametrize(
    "path", ["/claims/{}", "/pages/{}", "/pages/{}/copy", "/pages/{}/file", "/pages/{}/screenshot"]
)
async def test_claim_or_page_of_another_is_answered_like_an_unknown_one(server: Server, path: str) -> None:
    """Neither that it exists nor the task that it belongs to."""
    known, unknown = (page_id(PAGE_FOR), "p_0") if "pages" in path else (claim_id(HYPOTHESIS), "c_0")
    async with server.browser(await server.token_of(f"Ito {path}")) as his:
        hidden = await his.get(path.format(known))
        missing = await his.get(path.format(unknown))

    assert (hidden.status_code, hidden.text.replace(known, "")) == (404, missing.text.replace(unknown, ""))
    assert TASK not in hidden.text


@pytest.mark.parametrize("role", [Role.READER, Role.RESEARCHER, Role.ADMIN])
@pytest.mark.parametrize("path", ["/sources", f"/tasks/{TASK}/sources"])
async def test_levels_are_set_only_by_who_may(server: Server, path: str, role: Role) -> None:
    """The form stands where its sender is not refused."""
    await server.lyra.db.write(tasks.set_shared, TASK, is_shared=True)
    async with server.browser(await server.token_of(f"Ono {path} {role}", role)) as theirs:
        screen = await theirs.get(path)
    await server.lyra.db.write(tasks.set_shared, TASK, is_shared=False)

    assert (screen.status_code, 'action="/sources"' in screen.text) == (200, role is Role.ADMIN)


async def test_timeline_tells_no_words_of_a_claim_of_another_task(server: Server) -> None:
    """A claim in the address counts only where it belongs to the task that is shown."""
    await server.lyra.db.write(tasks.set_shared, EMPTY, is_shared=True)
    async with server.browser(await server.token_of("Kato")) as hers:
        screen = await hers.get(f"/tasks/{EMPTY}/timeline?claim={claim_id(HYPOTHESIS)}")
    await server.lyra.db.write(tasks.set_shared, EMPTY, is_shared=False)

    assert (screen.status_code, HYPOTHESIS in screen.text) == (200, False)


async def test_waiting_page_of_another_is_answered_like_an_unknown_one(server: Server) -> None:
    """A form that names it tells neither its task nor that it waits."""
    (item, *_) = await server.lyra.handoffs.queue.pending()
    async with server.browser(await server.token_of("Endo")) as his:
        secret = secret_of(await his.get("/waiting"))
        hidden, missing = [
            await his.post(
                "/waiting",
                data={"form_secret": secret, "item": one, "action": "skipped"},
                headers={"Origin": ROOT},
            )
            for one in (item.id, "auth_0")
        ]

    assert (hidden.status_code, hidden.text) == (400, missing.text.replace("auth_0", item.id))


async def test_who_asked_sees_and_answers_the_question(server: Server) -> None:
    """Others do not see it, and their answer is one to an unknown question; an admin sees it."""
    issued = [await server.lyra.people.add(name, Role.RESEARCHER) for name in ("Alice", "Bob")]
    question = await server.lyra.seen_by(issued[0].person).questions.ask("Which city is meant?", (), 300)
    form: dict[str, Any] = {"question": question.id, "answer": "Sakai"}
    async with (
        server.browser(issued[0].token) as hers,
        server.browser(issued[1].token) as his,
        server.browser(OWNER_TOKEN) as owners,
    ):
        screens = [await one.get("/waiting") for one in (hers, his, owners)]
        refused, taken = [
            await one.post("/waiting", data=form | {"form_secret": secret_of(screen)}, headers={"Origin": ROOT})
            for one, screen in ((his, screens[1]), (hers, screens[0]))
        ]

    assert ["Which city is meant?" in one.text for one in screens] == [True, False, True]
    assert (refused.status_code, taken.status_code) == (400, 303)
    assert "There is no question" in refused.text
    assert (await server.lyra.questions.get(question.id)).response == "Sakai"


async def test_shared_task_is_shown_and_its_review_refused(server: Server) -> None:
    """Reading is for everyone, changing for the owner; the level of a source is the admins'."""
    await server.lyra.db.write(tasks.set_shared, TASK, is_shared=True)
    async with server.browser(await server.token_of("Ito", Role.READER)) as his:
        screen = await his.get(f"/tasks/{TASK}")
        secret = secret_of(screen)
        form: dict[str, Any] = {"form_secret": secret, "edge": edge_id(PAGE_FOR, HYPOTHESIS), "stance": "neutral"}
        review = await his.post(f"/tasks/{TASK}/review", data=form, headers={"Origin": ROOT})
        level = {"form_secret": secret, "domain": "example.org", "level": "academic"}
        override = await his.post("/sources", data=level, headers={"Origin": ROOT})
        share = await his.post(f"/tasks/{TASK}/share", data={"form_secret": secret}, headers={"Origin": ROOT})
    await server.lyra.db.write(tasks.set_shared, TASK, is_shared=False)

    assert (screen.status_code, review.status_code, override.status_code, share.status_code) == (200, 400, 400, 400)
    assert "belongs to somebody else" in review.text
    assert "This needs the role admin; yours is reader." in override.text


@pytest.mark.parametrize(
    "path",
    [
        f"/tasks/{TASK}",
        f"/tasks/{TASK}/review",
        f"/tasks/{TASK}/graph",
        f"/tasks/{TASK}/graph.json",
        f"/tasks/{TASK}/timeline",
        f"/claims/{claim_id(HYPOTHESIS)}",
        f"/pages/{page_id(PAGE_FOR)}",
        "/search?q=scores",
        "/waiting",
    ],
)
async def test_secrets_in_addresses_of_a_shared_task_are_its_owner_s(server: Server, path: str) -> None:
    """Another reads the address without them; the owner of the data directory has it whole, with its link."""
    token = "6f1b0c9d3e5a47f28b64c0d1e2f3a4b5"
    await sign_pages(server, f"{PAGE_FOR}?access_token={token}")
    await server.lyra.db.write(tasks.set_shared, TASK, is_shared=True)
    async with (
        server.browser(await server.token_of(f"Rita at {path}", Role.READER)) as hers,
        server.browser(OWNER_TOKEN) as his,
    ):
        shown = await hers.get(path)
        whole = await his.get(f"/pages/{page_id(PAGE_FOR)}")
        page = await hers.get(f"/pages/{page_id(PAGE_FOR)}")
    await server.lyra.db.write(tasks.set_shared, TASK, is_shared=False)
    await sign_pages(server, PAGE_FOR, title="Meals and scores")

    assert (shown.status_code, token in shown.text) == (200, False)
    assert f'href="{PAGE_FOR}?access_token={token}' in whole.text
    assert f"{PAGE_FOR}?access_token=redacted" in page.text


async def sign_pages(server: Server, url: str, title: str | None = None) -> None:
    """Give the first page that address, which is its title too where none is given."""

    def write(connection: Any) -> None:
        connection.execute(
            "update pages set url = ?, final_url = ?, title = ? where id = ?",
            (url, url, title or url, page_id(PAGE_FOR)),
        )

    await server.lyra.db.write(write)


async def test_other_sites_and_forms_without_their_secret_change_nothing(server: Server) -> None:
    """The cookie alone is not enough."""
    async with server.browser(OWNER_TOKEN) as browser:
        foreign = await browser.post(f"/tasks/{EMPTY}/share", data={}, headers={"Origin": "https://evil.example"})
        bare = await browser.post(f"/tasks/{EMPTY}/share", data={"shared": "yes"}, headers={"Origin": ROOT})

    task = await server.lyra.tasks.get(EMPTY)
    assert (foreign.status_code, bare.status_code, task.is_shared) == (403, 400, False)


async def test_revoked_token_ends_the_session(server: Server) -> None:
    """The next click leads back to the form."""
    async with server.browser(await server.token_of("Abe")) as browser:
        before = await browser.get("/")
        await server.lyra.people.revoke("Abe")
        after = await browser.get("/")

    assert (before.status_code, after.status_code) == (200, 303)


async def test_guessing_is_slowed_down(dashboard: Dashboard) -> None:
    """After so many wrong tokens even the right one has to wait."""
    guessed = Server(dashboard)
    async with guessed.browser() as browser:
        wrong = [(await guessed.sign_in(browser, f"{n}")).status_code for n in range(MAX_REFUSALS)]
        right = await guessed.sign_in(browser, OWNER_TOKEN)

    assert (wrong, right.status_code) == ([401] * MAX_REFUSALS, 429)
