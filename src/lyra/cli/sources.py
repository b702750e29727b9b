"""`lyra engines` and `lyra domains`: the state of search engines and of sites, and why."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_fields, print_json, print_rows, print_table, run
from lyra.errors import InvalidParams
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra

_ENGINE_COLUMNS = ("engine", "status", "asked_again", "weight", "sound_1h", "sound_24h", "left_today")
_SITE_COLUMNS = ("site", "successes", "failures", "skipped_on", "last_reason")
_FORGET = "forget"
_ENGINE_STATES = ("asked", "stands in", "last mile", "resting", "off")
_DOMAIN_FIELDS = (
    "domain",
    "trust_level",
    "origin",
    "reason",
    "without_override",
    "cause_id",
    "cooldown_until",
    "failures",
    "last_outcome",
    "state",
    "first_rung",
    "first_reason",
    "barred",
    "pause_s",
    "qps",
    "qps_origin",
    "pause_factor",
    "requests_today",
    "samples",
    "success_short",
    "success_long",
    "refusal_short",
    "refusal_long",
    "tor_success_short",
    "rung_memory",
    "rung_until",
    "last_challenge",
    "last_challenge_at",
)
_DOMAIN_WORDS = (
    "trust_level",
    "origin",
    "reason",
    "without_override",
    "state",
    "first_reason",
)  # said in words of Lyra


def engines(
    ctx: typer.Context,
    query: Annotated[
        str | None, typer.Option(help="A query for whose category the weights are shown.", show_default="a general one")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show every engine's health, weight, quota and circuit breaker, and the sites with a search of their own.

    Example: lyra engines --query "DPP-4阻害薬 類天疱瘡" --json
    """

    async def work(lyra: "Lyra") -> dict[str, Any]:
        return await lyra.parts.federation.report(query or "")

    report = run(ctx, work)
    if as_json:
        print_json({"ok": True, **report})
        return
    title = f"Engines for {report['category']} questions; a search asks {report['per_search']}"
    states = dict(zip(_ENGINE_STATES, map(say, _ENGINE_STATES), strict=True))
    shown = [
        (row, {"status": states[row["status"]], "asked_again": _wait_text(row["retry_after_s"])})
        for row in report["engines"]
    ]
    rows = [row | words for row, words in shown]
    print_rows(title, _ENGINE_COLUMNS, rows)
    print_rows("Why", ("engine", "why"), rows)
    if report["sites"]:
        print_rows("Sites with a search of their own", _SITE_COLUMNS, report["sites"])


def _wait_text(wait_s: float | None) -> str | None:
    """When an engine in cooldown is asked again, in minutes, or in hours from two on."""
    if wait_s is None:
        return None
    if wait_s <= 7200:
        return say("in {minutes} min", minutes=math.ceil(wait_s / 60))
    return say("in {hours} h", hours=math.ceil(wait_s / 3600))


def domains(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Hosts or domains; `forget DOMAIN` deletes what was learned of it.",
            show_default="all that were met",
            metavar="[DOMAIN]... | forget DOMAIN",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how far domains are trusted and why, pauses between requests, first fetch methods, and what changed.

    Examples: lyra domains example.com --json; lyra domains forget example.com
    """
    if names and names[0] == _FORGET:
        _forget_domain(ctx, names[1:], as_json)
        return
    rows = run(ctx, lambda lyra: _domain_rows(lyra, names or []))
    if as_json:
        print_json({"ok": True, "domains": rows})
    elif names:
        for row in rows:
            _show_domain(row)
    else:
        columns = ("domain", "trust_level", "origin", "reason", "cooldown_until")
        learned = ("state", "first_rung", "pause_s", "success_short")
        table = [(*(row[one] for one in columns), *(row["fetching"][one] for one in learned)) for row in rows]
        print_table("Domains", (*columns, *learned), table)


async def _domain_rows(lyra: "Lyra", names: list[str]) -> list[dict[str, Any]]:
    from lyra.policy.cooldown import breaker_state
    from lyra.research.trust import domain_fields, fetching_fields, trust_change_fields
    from lyra.urls import registrable_domain

    standings = (
        [await lyra.trust.domain_status(_domain_name(one)) for one in names]
        if names
        else await lyra.trust.domain_statuses()
    )
    rows = []
    for standing in standings:
        account = await lyra.policy.account(registrable_domain(standing.domain))
        state = breaker_state(standing.failures, standing.cooldown_until, lyra.clock.now(), lyra.settings.politeness)
        row = {**domain_fields(standing), "fetching": {"state": state.value, **fetching_fields(account)}}
        if names:
            row["trust_changes"] = [trust_change_fields(one) for one in await lyra.trust.changes(standing.domain)]
        rows.append(row)
    return rows


def _forget_domain(ctx: typer.Context, names: list[str], as_json: bool) -> None:
    if len(names) != 1:
        raise InvalidParams("`forget` needs exactly one domain.", remedy="lyra domains forget example.com")
    from lyra.urls import registrable_domain

    domain = registrable_domain(_domain_name(names[0]))
    is_forgotten = run(ctx, lambda lyra: lyra.policy.forget(domain))
    if as_json:
        print_json({"ok": True, "domain": domain, "forgotten": is_forgotten})
    elif is_forgotten:
        forgotten = "What was learned of {domain} is forgotten, and its cooldown ends. Its trust level stays."
        typer.echo(say(forgotten, domain=domain))
    else:
        typer.echo(say("Nothing was learned of {domain} yet.", domain=domain))


def _show_domain(row: dict[str, Any]) -> None:
    fetching = row.pop("fetching")
    levels = row.pop("trust_changes", [])
    changes = fetching.pop("changes")
    headings = dict(zip(_DOMAIN_FIELDS, map(say, _DOMAIN_FIELDS), strict=True))
    flat = {name: _text(value) for name, value in (row | fetching).items()}
    origins = {"override": say("override"), "list": say("list"), "learned": say("learned"), "none": say("none")}
    words = {name: translate(str(flat[name])) for name in _DOMAIN_WORDS} | {"origin": origins[row["origin"]]}
    print_fields(row["domain"], {headings[name]: value for name, value in (flat | words).items()})
    if levels:
        print_rows("Changes of trust", ("changed_at", "kind", "before", "after", "reason"), levels)
    if changes:
        columns = ("changed_at", "parameter", "before", "after", "reason", "figures")
        print_table("Last changes", columns, [tuple(_text(change[one]) for one in columns) for change in changes])


def _text(value: Any) -> Any:
    return ", ".join(f"{key} {item}" for key, item in value.items()) if isinstance(value, dict) else value


def _domain_name(text: str) -> str:
    """The host of an address, or the name as given."""
    from lyra.urls import host_of

    name = (host_of(text) if "://" in text else text).strip().strip(".").lower()
    if not name or any(character.isspace() or character == "/" for character in name):
        raise InvalidParams(f"{text[:80]!r} is not a domain.", remedy="Give a name such as example.com.")
    return name
