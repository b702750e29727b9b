"""Who may use the dashboard: its own browser on this machine, and nobody else."""

import pytest

from .conftest import EMPTY, FOR, HYPOTHESIS, PAGE_AGAINST, PAGE_FOR, TASK, Dashboard, claim_id, edge_id, page_id

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_link_gives_the_cookie_and_leaves(dashboard: Dashboard) -> None:
    """The token is exchanged for a cookie that scripts do not see and other sites do not send; the page moves on."""
    answer = await dashboard.ask(f"/open?token={dashboard.access.token}", cookies={})

    cookie = f"{dashboard.access.cookie}={dashboard.access.session}; HttpOnly; Path=/; SameSite=strict"
    assert (answer.status_code, answer.headers["set-cookie"]) == (200, cookie)
    assert '<meta http-equiv="refresh" content="0;url=/">' in answer.text


@pytest.mark.parametrize("path", ["/open?token=wrong", "/open", "/open?token=", "/", f"/tasks/{TASK}", "/live"])
async def test_without_token_or_cookie_nothing_is_shown(dashboard: Dashboard, path: str) -> None:
    """A wrong or missing token gives a page that says how to get in, and no cookie."""
    answer = await dashboard.ask(path, cookies={})

    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert "<h1>This dashboard is locked</h1>" in answer.text


async def test_cookie_of_another_start_is_worth_nothing(dashboard: Dashboard) -> None:
    """The secret of an earlier server on the same port does not open this one."""
    answer = await dashboard.ask("/", cookies={dashboard.access.cookie: "x" * 43})

    assert answer.status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
async def test_other_host_names_are_refused(dashboard: Dashboard, host: str) -> None:
    """A name that an attacker points at this machine (DNS rebinding) gets nothing, cookie or not."""
    answer = await dashboard.ask("/", headers={"Host": host.format(port=dashboard.access.port)})

    assert (answer.status_code, "lyra" in answer.text.lower()) == (421, False)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://localhost:{port}"]
)
async def test_other_origins_are_refused(dashboard: Dashboard, origin: str) -> None:
    """A page of another site, or of a sandbox, can neither read nor send."""
    headers = {"Origin": origin.format(port=dashboard.access.port)}

    read = await dashboard.ask("/", headers=headers)
    sent = await dashboard.ask("/preferences", "POST", headers=headers, data={"theme": "dark"})

    assert (read.status_code, sent.status_code) == (403, 403)


async def test_form_without_origin_is_refused(dashboard: Dashboard) -> None:
    """Every browser names the origin of a form; what does not is no browser of ours."""
    secret = dashboard.access.form_secret

    answer = await dashboard.ask("/preferences", "POST", data={"form_secret": secret, "theme": "dark"})

    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (f"/tasks/{TASK}/review", {"edge": edge_id(PAGE_FOR, HYPOTHESIS), "stance": "neutral"}),
        (f"/tasks/{TASK}/review/undo", {"edge": edge_id(PAGE_FOR, HYPOTHESIS)}),
        ("/sources", {"domain": "example.gov", "level": "blocked"}),
        ("/waiting", {"item": "auth_1", "action": "skipped"}),
        ("/preferences", {"theme": "dark"}),
    ],
)
async def test_form_without_its_secret_changes_nothing(dashboard: Dashboard, path: str, fields: dict[str, str]) -> None:
    """A request that carries the cookie but was not made by one of our pages is refused."""
    answer = await dashboard.ask(path, "POST", data=fields, headers={"Origin": dashboard.root})

    assert (answer.status_code, "set-cookie" in answer.headers) == (400, False)
    assert "This page is from an earlier start of the dashboard." in answer.text


async def test_form_that_never_ends_is_cut_off(dashboard: Dashboard) -> None:
    """More than 64 KB are not kept in memory."""
    answer = await dashboard.send("/preferences", theme="x" * 70_000)

    assert (answer.status_code, "The form is too large." in answer.text) == (400, True)


@pytest.mark.parametrize("path", ["/", f"/claims/{claim_id(HYPOTHESIS)}", "/nothing", "/static/live.js"])
async def test_every_answer_is_under_a_strict_policy(dashboard: Dashboard, path: str) -> None:
    """No script, style, picture or connection but our own files; nothing is kept by the browser."""
    answer = await dashboard.ask(path)

    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")


async def test_archived_copy_is_inert(dashboard: Dashboard) -> None:
    """Words, structure and styles stay; scripts, links, frames, forms' targets and pictures are gone."""
    answer = await dashboard.ask(f"/pages/{page_id(PAGE_AGAINST)}/copy")

    assert answer.headers["content-security-policy"] == (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
        "base-uri 'none'; frame-ancestors 'self'"
    )
    assert f'<p id="said">{FOR}</p>' in answer.text
    gone = ("script", "onload", "href", "src=", "action", "iframe", "refresh", "preconnect")
    assert [name for name in gone if name in answer.text] == []


async def test_archived_file_is_saved_and_not_opened(dashboard: Dashboard) -> None:
    """The bytes as they came, as a download."""
    answer = await dashboard.ask(f"/pages/{page_id(PAGE_FOR)}/file")

    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == f'attachment; filename="{page_id(PAGE_FOR)}.archived"'


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/claims/c_0",
        "/pages/p_0",
        "/pages/p_0/copy",
        f"/pages/{page_id(PAGE_AGAINST)}/screenshot",
        "/tasks/task_00000000000f",
        "/tasks/x'%20or%201=1--/claims",
        f"/tasks/{TASK}/graph?claim=c_0",
    ],
)
async def test_what_is_not_there_is_said_so(dashboard: Dashboard, path: str) -> None:
    """404 with a page that leads back."""
    answer = await dashboard.ask(path)

    assert (answer.status_code, "<h1>That did not work</h1>" in answer.text) == (404, True)


@pytest.mark.parametrize("part", ["0", "-1", "99999999999999", "x", "²", ""])
async def test_bad_part_of_a_list_is_the_first_or_empty(dashboard: Dashboard, part: str) -> None:
    """No number in an address breaks a page."""
    answer = await dashboard.ask(f"/tasks/{EMPTY}/claims", params={"part": part})

    assert (answer.status_code, "There are no claims here yet." in answer.text) == (200, True)


async def test_way_back_after_a_form_stays_here(dashboard: Dashboard) -> None:
    """An address of another site is not followed."""
    answers = [
        await dashboard.send("/preferences", theme="dark", back=to)
        for to in ("//evil.example", "/\\evil", "/search?q=a")
    ]

    assert [one.headers["location"] for one in answers] == ["/", "/", "/search?q=a"]
