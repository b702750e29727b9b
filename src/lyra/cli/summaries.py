"""`lyra summaries`: what the user's language model said of pages, each sentence with its quote."""

from collections.abc import Sequence
from typing import Any

import typer

from lyra.cli.context import AsJson, TaskId, print_json, run
from lyra.model.event import Event
from lyra.text import strip_control_chars
from lyra.translate import say

_MOST_EVENTS = 100_000
_KINDS = ("person", "organisation", "place", "product", "law")


def summaries(ctx: typer.Context, task_id: TaskId, as_json: AsJson = False) -> None:
    """Show what a language model said of a task's pages: summaries and names, with the quotes that prove them.

    Example: lyra summaries task_1a2b3c4d5e6f --json
    """
    events = run(ctx, lambda lyra: lyra.history.events(task_id, limit=_MOST_EVENTS))
    pages = pages_of(events)
    if as_json:
        print_json({"ok": True, "task_id": task_id, "pages": pages})
        return
    for line in _lines(pages) or [say("No summaries: set llm.uses.summaries or llm.uses.entities, then search.")]:
        typer.echo(strip_control_chars(line))


def pages_of(events: Sequence[Event]) -> list[dict[str, Any]]:
    """By page, in the order read: the newest summary and names, and which model said them."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.kind in ("summaries", "entities"):
            details = event.details
            page = found.setdefault(event.subject, {"page_id": event.subject, "url": details["url"]})
            page["model"] = f"{details['model']} at {details['server']}"
            page |= {name: details[name] for name in ("sentences", "entities") if name in details}
    return list(found.values())


def _lines(pages: Sequence[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    kinds = dict(zip(_KINDS, map(say, _KINDS), strict=True))
    for page in pages:
        lines += ["", page["url"], f"  {page['model']}"]
        for sentence in page.get("sentences", ()):
            lines += [f"  - {sentence['text']}", *(f"      “{quote['text']}”" for quote in sentence["quotes"])]
        names = ", ".join(f"{one['name']} ({kinds[one['kind']]})" for one in page.get("entities", ()))
        lines += [f"  {say('names')}: {names}"] if names else []
    return lines
