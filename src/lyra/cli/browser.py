"""`lyra browser`: start, show, diagnose and repair the research browser."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, print_rows, show_checks
from lyra.errors import ChromeNotReady, InvalidParams
from lyra.translate import say

if TYPE_CHECKING:
    from lyra.fetch.browser.flags import Mode
    from lyra.settings import Settings

ModeName = Annotated[str, typer.Option("--mode", help="headless, headful, undetected or person.")]


app = typer.Typer(no_args_is_help=True, help="The browser that reads pages for you, with a profile of its own.")


@app.command("start")
def start(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(help="Address to show.", show_default="an empty tab")] = "about:blank",
    is_headless: Annotated[bool, typer.Option("--headless", help="Start it without a window.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the research profile in a window until it is closed or you press Ctrl-C.

    Example: lyra browser start https://example.org
    """
    from lyra.fetch.browser.machine import display

    if not is_headless and display().is_virtual:
        raise ChromeNotReady("There is no display on which you could see a window.", remedy="Add --headless.")
    try:
        asyncio.run(_show(ctx.obj.settings(), "headless" if is_headless else "headful", url, as_json=as_json))
    except KeyboardInterrupt:
        typer.echo(say("Closed."), err=True)


async def _show(settings: "Settings", mode: "Mode", url: str, *, as_json: bool) -> None:
    from lyra.clock import SystemClock
    from lyra.fetch.browser.chrome import Chrome
    from lyra.urls import is_web_url

    if url != "about:blank" and not is_web_url(url):
        raise InvalidParams(f"{url[:80]!r} is not a web address.", remedy="Give one such as https://example.org.")
    chrome = await Chrome.start(settings, mode, SystemClock())
    try:
        if url != "about:blank":
            await chrome.open_tab(url)
        fields = _fields(chrome, mode)
        if as_json:
            print_json({"ok": True, **fields})
        else:
            where = {"version": chrome.version, "endpoint": chrome.endpoint, "profile": chrome.profile}
            typer.echo(say("{version} is running at {endpoint}, profile {profile}.", **where))
        if not chrome.is_own:
            typer.echo(say("It was running already; it ends with the process that started it."), err=True)
            return
        typer.echo(say("Close it or press Ctrl-C to end."), err=True)
        while chrome.is_running():  # noqa: ASYNC110 — a process that is not ours to await
            await asyncio.sleep(0.5)
    finally:
        await chrome.close()


@app.command("status")
def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show which research browsers are running, with process, version, profile and socket.

    Example: lyra browser status --json
    """
    rows = asyncio.run(_statuses(ctx.obj.settings()))
    if as_json:
        print_json({"ok": True, "browsers": rows})
        return
    columns = ("mode", "running", "pid", "version", "endpoint", "tabs", "profile")
    print_rows("Browsers", columns, rows)


async def _statuses(settings: "Settings") -> list[dict[str, Any]]:
    from lyra.fetch.browser.chrome import Chrome
    from lyra.fetch.browser.flags import MODES
    from lyra.fetch.browser.profile import profile_dir

    rows = []
    for mode in MODES:
        chrome = await Chrome.find(settings, mode)
        if chrome is None:
            nothing = dict.fromkeys(("pid", "version", "endpoint", "tabs"))
            rows.append({"mode": mode, "running": False, **nothing, "profile": str(profile_dir(settings, mode))})
        else:
            rows.append({**_fields(chrome, mode), "tabs": len(await chrome.tabs())})
    return rows


def _fields(chrome: Any, mode: str) -> dict[str, Any]:
    return {
        "mode": mode,
        "running": True,
        "pid": chrome.pid,
        "version": chrome.version,
        "endpoint": chrome.endpoint,
        "profile": str(chrome.profile),
    }


@app.command("diagnose")
def diagnose(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Find out why the browser does not start, or that it does: program, display, sandbox, fonts, locks, a trial.

    Example: lyra browser diagnose
    """
    from lyra.clock import SystemClock
    from lyra.fetch.browser.diagnose import diagnose as examine

    show_checks(asyncio.run(examine(ctx.obj.settings(), SystemClock())), as_json=as_json)


@app.command("audit")
def audit(
    ctx: typer.Context,
    mode: ModeName = "headless",
    repairs: Annotated[bool, typer.Option("--repair", help="Repair what can be repaired.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check the health of a research profile: crash, lock, extensions, size, sessions, and the fingerprint it shows.

    Example: lyra browser audit --mode headful --repair
    """
    from lyra.clock import SystemClock
    from lyra.fetch.browser.diagnose import audit as examine
    from lyra.fetch.browser.flags import MODES

    chosen = next((one for one in MODES if one == mode), None)
    if chosen is None:
        raise InvalidParams(f"There is no mode {mode[:40]!r}.", remedy=f"One of {', '.join(MODES)}.")
    checks = asyncio.run(examine(ctx.obj.settings(), chosen, SystemClock(), repairs=repairs))
    show_checks(checks, as_json=as_json)
