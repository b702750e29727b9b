"""How engines and sites stand, as plain data for `lyra engines`."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from lyra.clock import stamp
from lyra.model.domain import BreakerState, EngineHealth, SiteRecord
from lyra.search.choice import Standing
from lyra.search.engine import Engine
from lyra.search.health import left_today


def engine_row(
    engine: Engine, one: Standing, health: EngineHealth | None, now: datetime, chosen: frozenset[str]
) -> dict[str, Any]:
    """An engine's status (`asked`, `stands in`, `last mile`, `resting`, `off`), its weight and what it comes from."""
    known = health or EngineHealth(engine.id, now)
    return {
        "engine": engine.id,
        "status": _status(engine, one, chosen),
        "weight": one.weight,
        "transport": engine.transport.value,
        "breaker": known.state.value,
        "open_until": stamp(known.open_until) if known.open_until else None,
        "failures_in_row": known.failures if known.state is not BreakerState.CLOSED or known.failures else 0,
        "sound_1h": round(known.success_1h, 3),
        "sound_24h": round(known.success_24h, 3),
        "captcha_24h": round(known.captcha_24h, 3),
        "drift_24h": round(known.drift_24h, 3),
        "latency_s": None if known.latency_s is None else round(known.latency_s, 2),
        "quota_per_day": engine.quota_per_day,
        "left_today": left_today(health, engine.quota_per_day, now),
        "last_outcome": known.last_outcome,
        "last_reason": known.last_reason,
        "retry_after_s": None if one.wait_s is None else round(one.wait_s),
        "why": one.why,
    }


def _status(engine: Engine, one: Standing, chosen: frozenset[str]) -> str:
    if one.skipped is not None:
        return "resting" if one.wait_s is not None else "off"
    if engine.id in chosen:
        return "asked"
    return "last mile" if engine.is_last_mile else "stands in"


def site_rows(records: Iterable[SiteRecord], allowed: Iterable[str]) -> list[dict[str, Any]]:
    """Every site of the allow-list, with how asking it has gone."""
    known: Mapping[str, SiteRecord] = {one.domain: one for one in records}
    rows: list[dict[str, Any]] = []
    for host in allowed:
        one = known.get(host)
        rows.append(
            {
                "site": host,
                "form": one.form.action if one and one.form else None,
                "needs_browser": bool(one and one.form and one.form.needs_browser),
                "successes": one.successes if one else 0,
                "failures": one.failures if one else 0,
                "skipped_on": one.skipped_on if one else None,
                "last_reason": one.last_reason if one else None,
            }
        )
    return rows
