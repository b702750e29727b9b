"""`lyra registries`: which registries and official APIs can be asked, and for what."""

from typing import TYPE_CHECKING, Any

import typer

from lyra.cli.context import AsJson, print_json, print_rows, run
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.registries.api import Registry

_COLUMNS = ("registry", "knows", "status", "key", "answers")
_WORDS = (
    "asked",
    "resting",
    "needs a key",
    "off",
    "needs none",
    "as recorded",
    "never tried against the real service",
)


def registries(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show every registry: what it knows, whether it can be asked, its key, and how its answers are known.

    Example: lyra registries --json
    """
    rows = run(ctx, _rows)
    if as_json:
        print_json({"ok": True, "registries": rows})
        return
    words = dict(zip(_WORDS, map(say, _WORDS), strict=True))
    shown = [
        {**row, "knows": translate(row["knows"]), "hosts": ", ".join(row["hosts"])}
        | {name: words.get(row[name], row[name]) for name in ("status", "key", "answers")}
        for row in rows
    ]
    print_rows("Registries that a search may name as its source", _COLUMNS, shown)
    print_rows("Hosts", ("registry", "hosts"), shown)


async def _rows(lyra: "Lyra") -> list[dict[str, Any]]:
    from lyra.storage import service_health

    asked = {one.facts.name: one for one in lyra.parts.registries.registries}
    resting = {
        health.name.removeprefix("api:")
        for health in await lyra.db.read(service_health.all, "api")
        if health.open_until is not None and health.open_until > lyra.clock.now()
    }
    return [
        {
            "registry": facts.name,
            "knows": facts.knows,
            "status": _status(facts.name, asked, resting),
            "key": facts.key_setting or "needs none",
            "answers": "as recorded" if facts.is_recorded else "never tried against the real service",
            "hosts": list(facts.hosts),
        }
        for facts in lyra.parts.registries.all_facts
    ]


def _status(name: str, asked: "dict[str, Registry]", resting: set[str]) -> str:
    if name not in asked:
        return "off"
    if not asked[name].has_key:
        return "needs a key"
    return "resting" if name in resting else "asked"
