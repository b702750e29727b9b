"""Every screen in a real Chromium: both languages, light and dark, 360 to 1,600 pixels, with and without scripts."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from lyra.loopback import listen
from lyra.model.edge import Relation
from lyra.web.guard import Access

from .conftest import (
    AGAINST,
    EMPTY,
    FOR,
    HYPOTHESIS,
    LARGE,
    PAGE_AGAINST,
    PAGE_FOR,
    TASK,
    Dashboard,
    claim_id,
    edge_id,
    fragment_id,
    page_id,
    served,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = f"/tasks/{TASK}"
SCREENS = {
    "tasks": ("/", "Tasks", "タスク"),
    "task": (ROOT, "Hypotheses", "仮説"),
    "task with nothing": (f"/tasks/{EMPTY}", "Hypotheses", "仮説"),
    "claims": (f"/tasks/{LARGE}/claims", "Claims", "主張"),
    "claim": (f"/claims/{claim_id(HYPOTHESIS)}", "Against 1", "反対 1"),
    "page": (f"/pages/{page_id(PAGE_FOR)}?fragment={fragment_id(PAGE_FOR)}", "Archived copy", "保存した写し"),
    "page with a hostile title": (f"/pages/{page_id(PAGE_AGAINST)}", "Archived copy", "保存した写し"),
    "graph": (f"{ROOT}/graph", "Graph", "グラフ"),
    "timeline": (f"{ROOT}/timeline", "Timeline", "年表"),
    "sources of a task": (f"{ROOT}/sources", "Sources", "情報源"),
    "sources": ("/sources", "Sources and trust", "情報源と信頼度"),
    "review": (f"{ROOT}/review", "Review", "見直し"),
    "waiting": ("/waiting", "Waiting for you", "対応待ち"),
    "calibration": ("/calibration", "Calibration", "較正"),
    "search": ("/search?q=test+scores", "Texts of pages", "ページの文章"),
    "error": ("/nothing", "That did not work", "うまくいきませんでした"),
}
NOT_SERIOUS = (None, "minor", "moderate")


@asynccontextmanager
async def opened(dashboard: Dashboard, chrome: Any, **options: Any) -> AsyncIterator[Any]:
    """A page in a browser of its own that came by the link; what it asked for and what failed is written down."""
    context = await chrome.new_context(**options)
    page = await context.new_page()
    page.foreign, page.faults = [], []
    page.on(
        "response", lambda answer: None if answer.url.startswith(dashboard.root) else page.foreign.append(answer.url)
    )
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: page.faults.append(dialog.message))
    await page.goto(dashboard.access.link)
    await page.wait_for_url(dashboard.root + "/")
    try:
        yield page
    finally:
        await context.close()


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_screens_are_sound_in_each_language(dashboard: Dashboard, chrome: Any, axe: str, language: str) -> None:
    """Each has its heading in the language of the browser, no serious finding of axe, no sideways scrolling at 360 and
    1,600 pixels, asks nothing of other machines, and runs nothing that a text holds. English in light, Japanese in
    dark colours."""
    colours = {"en": "light", "ja": "dark"}[language]
    expected = {
        name: (heading_en if language == "en" else heading_ja) for name, (_, heading_en, heading_ja) in SCREENS.items()
    }
    headings, findings, wide = {}, {}, {}

    async with opened(dashboard, chrome, locale={"en": "en-GB", "ja": "ja-JP"}[language], color_scheme=colours) as page:
        for name, (path, *_) in SCREENS.items():
            await page.goto(dashboard.root + path)
            shown = [" ".join(one.split()) for one in await page.locator("h1, h2").all_inner_texts()]
            headings[name] = next((one for one in shown if one == expected[name]), shown)
            await page.evaluate(axe)
            result = await page.evaluate("axe.run(document, {iframes: false, resultTypes: ['violations']})")
            findings[name] = [
                (one["id"], one["nodes"][0]["html"]) for one in result["violations"] if one["impact"] not in NOT_SERIOUS
            ]
            wide[name] = [await _overflow(page, width) for width in (360, 1600)]
        foreign, faults = page.foreign, page.faults

    assert headings == expected
    assert findings == {name: [] for name in SCREENS}
    assert wide == {name: [0, 0] for name in SCREENS}
    assert (foreign, dashboard.tracked, faults) == ([], [], [])


async def _overflow(page: Any, width: int) -> int:
    await page.set_viewport_size({"width": width, "height": 800})
    wide: int = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide


async def test_token_leaves_the_address_bar_and_history(dashboard: Dashboard, chrome: Any) -> None:
    """After the link only the plain address is left, and scripts do not see the cookie."""
    async with opened(dashboard, chrome) as page:
        address, cookie = page.url, await page.evaluate("document.cookie")
        await page.go_back()
        earlier = page.url

    assert (address, cookie, earlier) == (dashboard.root + "/", "", "about:blank")


async def test_everything_is_readable_without_scripts(dashboard: Dashboard, chrome: Any) -> None:
    """From the tasks to the words for and against, and a review by its button."""
    async with opened(dashboard, chrome, java_script_enabled=False) as page:
        await page.get_by_role("link", name="Do school meals").click()
        await page.get_by_role("link", name=HYPOTHESIS).first.click()
        await page.wait_for_url("**/claims/*")
        sides = await page.locator("blockquote").all_inner_texts()
        await page.get_by_role("link", name="Review its evidence").click()
        row = page.locator(f"#{edge_id(PAGE_FOR, HYPOTHESIS)}")
        await row.get_by_role("button", name="neutral").click()
        await page.get_by_text("1 reviewed").wait_for()
        written = await dashboard.lyra.db.read(_relation, edge_id(PAGE_FOR, HYPOTHESIS))
        await page.get_by_role("button", name="Undo the last review").click()
        await page.get_by_text("0 reviewed").wait_for()
        restored = await dashboard.lyra.db.read(_relation, edge_id(PAGE_FOR, HYPOTHESIS))

    assert [one.strip() for one in sides] == [FOR, AGAINST]
    assert (written, restored) == (Relation.NEUTRAL, Relation.SUPPORTS)


async def test_review_is_worked_through_with_the_keyboard(dashboard: Dashboard, chrome: Any) -> None:
    """j and k move, a letter decides and brings the next, u takes the last one back; every key is written at once."""
    async with opened(dashboard, chrome) as page:
        await page.goto(f"{dashboard.root}{ROOT}/review")
        ids = await page.locator(".review-item").evaluate_all("all => all.map(one => one.id)")
        await page.keyboard.press("j")
        after_j = await page.locator(".review-item.current").get_attribute("id")
        await page.keyboard.press("k")
        after_k = await page.locator(".review-item.current").get_attribute("id")
        await page.keyboard.press("n")
        await page.get_by_text("1 reviewed").wait_for()
        written = await dashboard.lyra.db.read(_relation, ids[0])
        left = await page.locator(".review-item").evaluate_all("all => all.map(one => one.id)")
        await page.keyboard.press("u")
        await page.get_by_text("0 reviewed").wait_for()
        restored = await dashboard.lyra.db.read(_relation, ids[0])

    assert sorted(ids) == sorted([edge_id(PAGE_FOR, HYPOTHESIS), edge_id(PAGE_AGAINST, HYPOTHESIS)])
    assert (after_j, after_k) == (ids[1], ids[0])
    assert (written, left) == (Relation.NEUTRAL, ids[1:])
    assert restored is not Relation.NEUTRAL


def _relation(connection: Any, edge: str) -> Relation:
    return Relation(connection.execute("select relation from edges where id = ?", (edge,)).get)


async def test_keys_typed_into_a_reason_decide_nothing(dashboard: Dashboard, chrome: Any) -> None:
    """Letters in a field are letters."""
    async with opened(dashboard, chrome) as page:
        await page.goto(f"{dashboard.root}{ROOT}/review")
        field = page.locator("input[name=reason]").first
        await field.press_sequentially("snr")
        typed, reviewed = await field.input_value(), await page.get_by_text("0 reviewed").count()

    assert (typed, reviewed) == ("snr", 1)


async def test_archived_copy_runs_and_loads_nothing(dashboard: Dashboard, chrome: Any) -> None:
    """In its frame the words are shown with their own style; no request leaves, and no cookie is seen."""
    async with opened(dashboard, chrome) as page:
        await page.goto(f"{dashboard.root}/pages/{page_id(PAGE_FOR)}?fragment={fragment_id(PAGE_FOR)}&check=1")
        copy = page.frame_locator("iframe.copy")
        await page.locator("iframe.copy").scroll_into_view_if_needed()
        said = await copy.locator("#said").inner_text()
        colour = await copy.locator("#said").evaluate("one => getComputedStyle(one).color")
        links = await copy.locator("[href], script, iframe").count()
        marked = await page.locator("mark").inner_text()
        shot = await page.locator("img.shot").evaluate(
            "one => (one.loading = 'eager', one.decode().then(() => one.naturalWidth))"
        )
        foreign, faults = page.foreign, page.faults

    assert (said, colour, links, marked, shot) == (FOR, "rgb(1, 2, 3)", 0, FOR, 1)
    assert (foreign, dashboard.tracked, faults) == ([], [], [])


async def test_new_claims_appear_by_themselves(dashboard: Dashboard, chrome: Any) -> None:
    """What another process writes to the same database is on the page without loading it again."""
    code = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC\n"
        "from lyra.storage.connection import connect, in_transaction; from lyra.storage import claims\n"
        "from lyra.model.claim import Claim\n"
        f"claim = Claim('c_new', {TASK!r}, 'Written by another process.', 'en', datetime.now(UTC))\n"
        "in_transaction(connect(Path(sys.argv[1])), 'begin immediate', lambda c: claims.insert_many(c, [claim]))\n"
    )
    async with opened(dashboard, chrome) as page:
        await page.goto(dashboard.root + ROOT)
        await page.evaluate("document.body.dataset.sameDocument = 'yes'")
        path = str(dashboard.lyra.settings.database_path)
        writer = await asyncio.create_subprocess_exec(sys.executable, "-c", code, path)
        ended = await writer.wait()
        await page.get_by_role("link", name="Written by another process.").wait_for()
        is_same = await page.evaluate("document.body.dataset.sameDocument")

    assert (ended, is_same) == (0, "yes")


async def test_lost_connection_is_said_and_taken_up_again(dashboard: Dashboard, chrome: Any) -> None:
    """While the server is gone the page says so; when it is back, it says that too."""
    listening = listen(0)
    access = Access(listening.getsockname()[1])
    async with AsyncExitStack() as stack:
        async with served(dashboard.lyra, listening, access) as first:
            page = await stack.enter_async_context(opened(first, chrome))
            before = await page.locator(".connection").is_hidden()

        await page.get_by_text("The connection to Lyra is lost. Trying again…").wait_for()
        async with served(dashboard.lyra, listen(access.port), access):
            await page.get_by_text("Connected again.").wait_for()
            still_there = await page.locator("#tasks .card").count()

    assert (before, still_there) == (True, 3)


async def test_two_thousand_nodes_are_drawn(dashboard: Dashboard, chrome: Any) -> None:
    """The best connected 2,000 of more; by keyboard one goes from node to node and opens it."""
    claims = [f"Statement {number} of many." for number in range(1, 600)]  # each is named by three pages
    best = min(claims, key=lambda text: claim_id(text, LARGE))

    async with opened(dashboard, chrome) as page:
        await page.goto(f"{dashboard.root}/tasks/{LARGE}/graph")
        canvas = page.locator("#graph[data-nodes]")
        await canvas.wait_for()
        drawn = int(await canvas.get_attribute("data-nodes"))
        told = await page.get_by_text("The 2,000 with the most links are shown.").count()
        await canvas.focus()
        await page.keyboard.press("n")
        label = await page.locator(".graph-label").inner_text()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/claims/*")
        address = page.url

    assert (drawn, told, label) == (2000, 1, best)
    assert address == f"{dashboard.root}/claims/{claim_id(best, LARGE)}"


async def test_language_and_colours_are_chosen_on_the_page(dashboard: Dashboard, chrome: Any) -> None:
    """The choice goes before the browser's own, stays on other pages, and leads back to where it was made."""
    async with opened(dashboard, chrome, locale="en-GB", color_scheme="light") as page:
        await page.goto(f"{dashboard.root}/search?q=meals")
        light = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        await page.get_by_role("button", name="日本語").click()
        await page.locator("html[lang=ja]").wait_for()
        address, language = page.url, await page.locator("html").get_attribute("lang")
        await page.get_by_role("button", name="配色：自動").click()
        await page.get_by_role("button", name="配色：ダーク").wait_for()
        await page.goto(dashboard.root + "/calibration")
        dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        kept = await page.locator("html").get_attribute("lang")

    assert (address, language, kept) == (f"{dashboard.root}/search?q=meals", "ja", "ja")
    assert (light, dark) == ("rgb(246, 247, 249)", "rgb(18, 22, 28)")


async def test_level_of_a_source_is_set_and_taken_back(dashboard: Dashboard, chrome: Any) -> None:
    """An override with its reason is in the user's own file, and the page shows who decided."""
    file = dashboard.lyra.settings.data_dir / "domains.yaml"
    async with opened(dashboard, chrome) as page:
        await page.goto(f"{dashboard.root}{ROOT}/sources")
        row = page.locator(".source-list li", has_text="example.org")
        await row.locator("select").select_option("academic")
        await row.locator("input[name=reason]").fill('peer "reviewed"')
        await row.get_by_role("button", name="Set").click()
        await row.get_by_text("set by you").wait_for()
        written = file.read_text("utf-8")
        await row.locator("select").select_option("")
        await row.get_by_role("button", name="Set").click()
        await row.get_by_text("on no list").wait_for()
        left = file.read_text("utf-8")

    entry = '  - domain: "example.org"\n    trust_level: academic\n    reason: "peer \\"reviewed\\""\n'
    assert (written, left) == (f"user_overrides:\n{entry}", "user_overrides:\n")


async def test_waiting_page_is_skipped(dashboard: Dashboard, chrome: Any) -> None:
    """The person's word is written, and the page leaves the queue."""
    async with opened(dashboard, chrome) as page:
        await page.goto(dashboard.root + "/waiting")
        await page.get_by_role("button", name="Skip").click()
        await page.get_by_text("Nothing waits for you.").wait_for()
        item = await dashboard.lyra.handoffs.queue.get("auth_1")

    assert (item.status.value, item.decided_via) == ("skipped", "dashboard")


async def test_long_lists_come_in_parts(dashboard: Dashboard, chrome: Any) -> None:
    """3,000 claims are 60 parts of 50; the next part is one click away."""
    async with opened(dashboard, chrome) as page:
        await page.goto(f"{dashboard.root}/tasks/{LARGE}/claims?verdict=unverified")
        shown = await page.locator(".claim-list > li").count()
        await page.get_by_role("link", name="Next").click()
        await page.get_by_text("Part 2 of 60").wait_for()
        first = await page.locator(".claim-text").first.inner_text()

    assert (shown, first) == (50, "Statement 50 of many.")
