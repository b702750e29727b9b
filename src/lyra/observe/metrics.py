"""The metrics of §4.6: every figure is counted in the database; what was not measured is unknown, never guessed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lyra.clock import Clock, stamp
from lyra.model.domain import PolicyChange
from lyra.model.event import Metric
from lyra.model.process_state import ProcessState
from lyra.model.search import SearchTally
from lyra.storage import adaptive_parameters, domain_policies, graph_figures, metrics, searches, slots, tasks
from lyra.storage.database import Database
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from apsw import Connection

_DOMAINS_SHOWN = 10
_STATES = ("closed", "half_open", "open")


class MetricsReader:
    """Reads the metrics of one task, or of everything, since a moment."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def read(self, task_id: str | None = None, since: datetime | None = None) -> tuple[Metric, ...]:
        """All metrics, in one snapshot. Raises TaskNotFound."""
        return await self._db.read(_read, task_id, stamp(since) if since else "", self._clock.now())

    async def changes(self, since: datetime | None = None) -> tuple[tuple[str, PolicyChange], ...]:
        """What adapted last, newest first: its name, and the change with its figures."""
        return await self._db.read(domain_policies.all_changes, stamp(since) if since else "")


def _read(connection: "Connection", task_id: str | None, since: str, now: datetime) -> tuple[Metric, ...]:
    if task_id is not None:
        tasks.get(connection, task_id)
    found = graph_figures.figures(connection, task_id, since)
    return (
        *_harvest(
            searches.tally_of_tasks(connection, task_id, since), metrics.searches(connection, task_id, since), found
        ),
        *_exposure(
            metrics.fetches(connection, task_id, since),
            metrics.revisits(connection, task_id, since),
            metrics.refusals(connection, task_id, since),
        ),
        *_by_domain(metrics.by_domain(connection, task_id, since)),
        *_quality(found),
        *_people(
            metrics.handoff_figures(connection, task_id, since), metrics.pending_handoffs(connection, task_id), task_id
        ),
        *_machine(connection, task_id, since, now),
    )


def _harvest(tally: SearchTally, ended: Mapping[str, Any], found: Mapping[str, int]) -> Iterable[Metric]:
    about = "Useful fragments per page read; a task counts each page and fragment once."
    yield _share("harvest_rate", about, tally.useful_fragments, tally.pages_read)
    with_novelty = int(ended["with_novelty"] or 0)
    about = "Share of new useful fragments at the end of searches, mean."
    yield _mean("novelty_score", about, ended["novelty"], with_novelty)
    about = "Novelty of the later half of the searches less that of the earlier half."
    yield _mean("novelty_trend", about, ended["trend"], with_novelty, "fewer than two searches have read anything")
    about = "Searches that were satisfied."
    yield _share("satisfied_share", about, int(ended["satisfied"] or 0), int(ended["ended"] or 0))
    took = int(ended["with_seconds"] or 0)
    yield _mean("search_seconds", "Seconds a search took, mean.", ended["seconds"], took)
    yield _share("duplicate_rate", "Fragments that nearly repeat another.", found["repeated"], found["fragments"])
    yield _share("domain_diversity", "Domains per page.", found["domains"], found["pages"])


def _exposure(fetches: Mapping[str, int], revisits: Mapping[str, int], refusals: Mapping[str, int]) -> Iterable[Metric]:
    sent = fetches["sent"]
    yield Metric("requests", "Requests for pages that were sent.", float(sent), sent)
    yield _share("block_rate", "Requests that were refused or challenged.", fetches["refused"], sent)
    for kind, count in refusals.items():
        rate = _share("block_rate_by_kind", "Attempts that ended so.", count, fetches["attempts"])
        yield _labelled(rate, kind=kind)
    yield _share("tor_share", "Requests over Tor.", fetches["tor"], sent)
    yield _share("browser_share", "Requests by a browser.", fetches["browser"], sent)
    yield _share("headful_share", "Requests by a browser with a window.", fetches["headful"], sent)
    about, why = "Requests that named where they came from.", "no request has noted its headers"
    yield _share("referer_share", about, fetches["referred"], fetches["headed"], why)
    yield _share("not_modified_share", "Re-visits answered with 304.", revisits["unchanged"], revisits["revisits"])
    why = "no request has noted over which protocol it went"
    yield _share("ipv6_success_share", "IPv6 requests that were served.", fetches["ipv6_served"], fetches["ipv6"], why)
    switched = float(fetches["switched"]) if fetches["addressed"] else None
    yield Metric(
        "ip_switches",
        "Changes between IPv4 and IPv6.",
        switched,
        fetches["addressed"],
        {},
        why if switched is None else None,
    )
    yield _share(
        "ip_switch_success_share", "Such changes that helped.", fetches["switched_served"], fetches["switched"]
    )
    over_tor, about = fetches["tor"], "Requests over Tor whose name this machine looked up itself."
    leaks = float(fetches["tor_resolved_here"]) if over_tor else None
    yield Metric("dns_leaks", about, leaks, over_tor, {}, None if over_tor else "nothing went over Tor yet")


def _by_domain(rows: Iterable[tuple[str, int, int, int]]) -> Iterable[Metric]:
    """The domains that challenge or forbid most often."""
    sent: Counter[str] = Counter()
    challenged: Counter[str] = Counter()
    forbidden: Counter[str] = Counter()
    for url, count, challenges, refusals in rows:
        domain = registrable_domain(url)
        sent[domain] += count
        challenged[domain] += challenges
        forbidden[domain] += refusals
    for name, about, counts in (
        ("captcha_rate", "Requests to the domain that met a challenge.", challenged),
        ("forbidden_rate", "Requests to the domain that got 403.", forbidden),
    ):
        for domain, count in sorted((+counts).items(), key=lambda one: (-one[1], one[0]))[:_DOMAINS_SHOWN]:
            yield _labelled(_share(name, about, count, sent[domain]), domain=domain)


def _quality(found: Mapping[str, int]) -> Iterable[Metric]:
    pages, claims = found["pages"], found["judged_claims"]
    yield _share("primary_source_ratio", "Judged pages of high trust.", found["primary_pages"], found["judged_pages"])
    yield Metric("citation_loops", "Citations in a circle that were found.", float(found["loops"]), pages)
    yield _share("citation_loop_share", "Pages that cite in a circle.", found["looped_pages"], pages)
    about, of_task = "Pages of a task in its largest narrative cluster.", found["narrative_pages"]
    yield _share("narrative_share", about, found["largest_narrative"], of_task)
    yield Metric("narrative_clusters", "Narrative clusters that were found.", float(found["narratives"]), pages)
    yield _share("contradiction_rate", "Judged claims with evidence on both sides.", found["contradicted"], claims)
    yield _share("timeline_share", "Judged claims with dated evidence.", found["dated"], claims)
    about = "Pages that list others, or half of which repeats what another site's page had said."
    yield _share("aggregator_share", about, found["gathered"], pages)


def _people(figures: Mapping[str, Any], pending: int, task_id: str | None) -> Iterable[Metric]:
    why = "nobody was notified yet" if task_id is None else "notifications belong to no task"
    known = {name: int(figures[name] or 0) for name in ("notified", "notified_shown", "shown", "raised", "decided")}
    yield Metric("auth_pending", "Pages that wait for a person.", float(pending), pending)
    yield _share(
        "auth_notified_share", "Notifications of waiting pages that were shown.", known["notified_shown"],
        known["notified"], why,
    )  # fmt: skip
    yield _share("window_raised_share", "Opened pages whose window was raised.", known["raised"], known["shown"])
    yield _share(
        "auth_solved_share", "Decided items that were solved.", int(figures["resolved"] or 0), known["decided"]
    )
    yield _mean("auth_wait_seconds", "Seconds an item waited, mean.", figures["waited_s"], known["decided"])


def _machine(connection: "Connection", task_id: str | None, since: str, now: datetime) -> Iterable[Metric]:
    for state, count in metrics.jobs_by_state(connection, task_id).items():
        yield Metric("jobs", "Jobs by state.", float(count), count, {"state": state})
    for name, counts in (("held", slots.taken_seats(connection, now)), ("waiting", slots.waiting(connection, now))):
        for slot, count in sorted(counts.items()):
            yield Metric(f"slots_{name}", f"Uses of slots that are {name}.", float(count), count, {"slot": slot})
    for engine, circuit in metrics.engines(connection, stamp(now)):
        value = float(_STATES.index(circuit))
        yield Metric("engine_circuit", "0 closed, 1 half open, 2 open.", value, 1, {"engine": engine, "state": circuit})
    for parameter, (dial, minutes) in adaptive_parameters.all(connection).items():
        about = "What is allowed is divided by it; the basis is minutes with requests."
        yield Metric("adaptive_parameter", about, dial, minutes, {"parameter": parameter})
    for parameter, count in metrics.policy_changes(connection, since).items():
        yield Metric("policy_changes", "Parameters turned.", float(count), count, {"parameter": parameter})


def _share(name: str, about: str, part: int, whole: int, why_unknown: str = "nothing was observed yet") -> Metric:
    value = round(part / whole, 4) if whole else None
    return Metric(name, about, value, whole, {}, None if whole else why_unknown)


def _mean(name: str, about: str, mean: Any, basis: int, why_unknown: str = "nothing was observed yet") -> Metric:
    value = None if mean is None or not basis else round(float(mean), 4)
    return Metric(name, about, value, basis, {}, None if value is not None else why_unknown)


def _labelled(metric: Metric, **labels: str) -> Metric:
    return Metric(metric.name, metric.help, metric.value, metric.basis, labels, metric.why_unknown)


def prometheus(found: Iterable[Metric]) -> str:
    """The text exposition format; what is unknown is NaN."""
    lines: list[str] = []
    reported: set[str] = set()
    for metric in found:
        name = f"lyra_{metric.name}"
        if name not in reported:
            reported.add(name)
            lines += [f"# HELP {name} {metric.help}", f"# TYPE {name} gauge"]
        labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in metric.labels.items())
        value = "NaN" if metric.value is None else plain_number(metric.value)
        lines.append(f"{name}{{{labels}}} {value}" if labels else f"{name} {value}")
    return "\n".join(lines) + "\n"


def model_figures(state: ProcessState) -> str:
    """What models were asked, as text for Prometheus."""
    lines = [
        "# HELP lyra_model_items_total Texts or pairs given to models.",
        "# TYPE lyra_model_items_total counter",
    ]
    lines += [f'lyra_model_items_total{{op="{op}"}} {count}' for op, count in sorted(state.items.items())]
    lines += ["# HELP lyra_model_seconds_total Seconds models took.", "# TYPE lyra_model_seconds_total counter"]
    lines += [f'lyra_model_seconds_total{{op="{op}"}} {spent:.3f}' for op, spent in sorted(state.seconds.items())]
    return "\n".join(lines) + "\n"


def plain_number(value: float) -> str:
    """The figure with all its digits; a whole number without a fraction."""
    return str(int(value)) if value.is_integer() else repr(value)


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def metric_fields(metric: Metric) -> dict[str, Any]:
    """A metric as plain data."""
    return {
        "name": metric.name,
        "labels": dict(metric.labels),
        "value": metric.value,
        "basis": metric.basis,
        "help": metric.help,
        "why_unknown": metric.why_unknown,
    }


def change_fields(subject: str, change: PolicyChange) -> dict[str, Any]:
    """A change as plain data."""
    return {
        "at": stamp(change.changed_at),
        "of": subject,
        "parameter": change.parameter,
        "before": change.before,
        "after": change.after,
        "reason": change.reason,
        "figures": dict(change.figures),
    }
