"""The criteria A1–A21 of the specification: bars, what is measured, and the run over all or some of them."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lyra.clock import SystemClock, stamp
from lyra.errors import InvalidParams, LyraError
from lyra_bench.measure.acceptance import engines, fetching, machine, researching
from lyra_bench.measure.acceptance.bench import TOPIC_MINUTES, Bench, with_bench
from lyra_bench.measure.acceptance.criterion import Criterion, Figures, result_fields

_RESEARCH = (
    "Research on every topic of the simulated web with its own faults and 3 % of all requests struck by 503, reset, "
    "delay or a cut-off, three news sites of each behind a captcha or log-in; pauses shortened. "
)
_FETCH = "`lyra bench fetch`: 200 addresses of the simulated web (news, government, technical, academic) with faults. "

CRITERIA = (
    Criterion(
        "A1",
        "200 addresses fetched",
        {"success": (">=", 0.95)},
        _FETCH + "Walls that only a person can open are not among them (A8).",
        fetching.fetch_success,
    ),
    Criterion(
        "A2",
        "Recovery after 403 and 429",
        {"recovery": (">=", 0.70)},
        _FETCH + "Addresses that met 403 or 429 and were served within three rungs.",
        fetching.recovery,
    ),
    Criterion(
        "A3",
        "Captchas and challenges recognised",
        {"detected": (">=", 1.0), "false_alarms": ("<=", 0)},
        "Captcha, challenge, log-in and consent walls before 100 pages drawn by the seed, against the other pages, by "
        "plain HTTP. Recorded walls of real sites are in the test suite, not here. Walls that were not asked, because "
        "their domain was resting, are left out and counted (`not_asked`).",
        fetching.walls,
    ),
    Criterion(
        "A4",
        "Main claims with three independent sources, or a primary and a secondary one",
        {"supported": (">=", 0.90), "citations_missing": ("<=", 0)},
        _RESEARCH + "Main claims are the adopted ones, which the body of the report holds; they are adopted from two "
        "independent sources on.",
        researching.support,
    ),
    Criterion(
        "A5",
        "Queries satisfied, the others named",
        {"satisfied": (">=", 0.90), "named": (">=", 1.0)},
        _RESEARCH + "The truth files' queries, up to three of each kind; one that failed counts as not satisfied.",
        researching.satisfied,
    ),
    Criterion(
        "A6",
        "No paid service",
        {"paid_dependencies": ("<=", 0), "paid_hosts_asked": ("<=", 0)},
        "Names of all dependencies against a list of clients of paid services, and every host that the research asked "
        "the simulated web for against a list of paid APIs. Weaker than a proof: others are not seen.",
        machine.costs,
    ),
    Criterion(
        "A7",
        "Duration of one task, share of the language model",
        {"minutes_cpu": ("<=", 75), "minutes_gpu": ("<=", 60), "llm_share": ("<=", 0.30)},
        _RESEARCH + "The slowest topic on this machine without GPU; for each request the pause that ships (5 s, four "
        "domains at a time) is added, for the simulated web is asked without.",
        researching.duration,
    ),
    Criterion(
        "A8",
        "Pages that need a person",
        {
            "notified": (">=", 0.99),
            "window_raised": (">=", 0.95),
            "interventions": ("<=", 3),
            "solved": (">=", 0.80),
            "person_minutes": ("<=", 5),
        },
        _RESEARCH + "Queued pages are opened with the cookie that the simulated wall gives, one decision for each "
        "domain; a page that is not queued again is solved. How many walls there are is planted, so the number of "
        "interventions shows that pages of one domain are one, and no more.",
        researching.people,
    ),
    Criterion(
        "A9",
        "Exposure",
        {
            "browser_share": ("<=", 0.30),
            "referer_coherent": (">=", 0.90),
            "not_modified": (">=", 0.70),
            "tor_share": ("<=", 0.20),
            "dns_leaks": ("<=", 0),
        },
        _FETCH + "The second round gives the share of 304. EDNS client subnet is not measured: Lyra sends no DNS query "
        "itself, and over Tor or a proxy names are resolved there.",
        fetching.exposure,
    ),
    Criterion(
        "A10",
        "Harvest and diversity",
        {"harvest": (">=", 0.25), "top_kind_share": ("<=", 0.60), "duplicate_share": ("<=", 0.20)},
        _RESEARCH + "Mean harvest of the searches; the share of pages from the most frequent kind of site; repeated "
        "fragments in the worst topic.",
        researching.harvest,
    ),
    Criterion(
        "A11",
        "Both sides",
        {"refutation_candidates": (">=", 0.80), "two_sources": (">=", 0.80), "both_sides_shown": (">=", 1.0)},
        _RESEARCH + "Important claims are the hypotheses, what was adopted, and what was judged more than once. A "
        "candidate is a refuting text, or, where a refute search concerned the claim, a judged one on a page that "
        "such a search found; only the truth files' own refute queries are asked, up to three. Supports are counted "
        "by source, as votes are: the work, or else the domain, so that two papers on one site are two; of adopted "
        "claims, for which the specification names no share, 80 % is taken.",
        researching.refutation,
    ),
    Criterion(
        "A12",
        "Evidence kept",
        {
            "adopted_with_edge": (">=", 1.0),
            "warc": (">=", 0.95),
            "screenshots": (">=", 0.95),
            "hash_lists": (">=", 0.90),
        },
        _RESEARCH + "Archive files are checked for every page read; screenshots and digests of pages that a browser "
        "served in `lyra bench fetch`; PDFs are left out, they have no screenshot.",
        researching.completeness,
    ),
    Criterion(
        "A13",
        "Quality of sources",
        {
            "primary": (">=", 0.60),
            "loops_found": (">=", 0.80),
            "timeline": (">=", 0.90),
            "narrative": ("<=", 0.60),
            "aggregators": ("<=", 0.20),
        },
        _RESEARCH
        + "`lyra metrics` of each topic: means, of narratives the worst; loops against those planted and read. The "
        "details compare the share of primary sources with what the kinds of the sites that were read, and all pages "
        "of the topic, would give.",
        researching.quality,
    ),
    Criterion(
        "A14",
        "Engine faults recognised",
        {"precision": (">=", 0.90), "recall": (">=", 0.80), "transitions_logged": (">=", 1.0)},
        "Four engines over plain HTTP under seven faults, and sound ones with and without results. Transitions are "
        "counted where the engine answered. Engines that need a browser are not asked.",
        engines.faults,
    ),
    Criterion(
        "A15",
        "Searches of sites",
        {"success": (">=", 0.60), "extra_harvest": (">=", 0.10)},
        "Every simulated site of an authority or academy asked for one of its pages by its title, and for the topic's "
        "first query. Extra harvest is counted in addresses that two engines did not give, not in useful fragments.",
        engines.site_search,
    ),
    Criterion(
        "A16",
        "Differences with the web archive",
        {"difference": (">=", 0.80), "lost": ("<=", 0.10)},
        _RESEARCH + "Pages read that have archived earlier versions: those whose change was found, and those of which "
        "no copy came. All are compared, not only the weightiest.",
        researching.wayback,
    ),
    Criterion(
        "A17",
        "Exclusion",
        {"gpu_and_window": ("<=", 0), "same_domain": ("<=", 0)},
        "100 uses of the two slots by two connections to one database at random moments; requests of the research that "
        "reached a domain while another was unanswered.",
        machine.exclusion,
    ),
    Criterion(
        "A18",
        "Calibration",
        {"brier_gain": (">=", 0.20), "fewer_false_promotions": (">=", 0.15)},
        "benchmarks/judge: pairs that nothing was trained or fitted on; Brier of the reader's own probabilities "
        "against the calibrated ones. Fewer false promotions: the share of pairs falsely called supports with 0.7 that "
        "calibration takes away.",
        machine.calibration,
    ),
    Criterion(
        "A19",
        "Cache of result pages",
        {"hits": (">=", 0.50)},
        _RESEARCH + "The first query of each topic once more in a new task: requests for result pages that were saved.",
        researching.serp_cache,
    ),
    Criterion(
        "A20",
        "Browser profiles",
        {"checked": (">=", 0.99), "repaired": (">=", 0.90)},
        "100 profiles, three quarters damaged (lock of a dead browser, crash, settings that are no JSON, extension), "
        "checked and repaired as before every start. No browser is started.",
        machine.profiles,
    ),
    Criterion(
        "A21",
        "IPv6",
        {"ipv6": (">=", 0.80), "switched": (">=", 0.80)},
        "Hosts on loopback with both addresses, and hosts that do not answer on IPv6. Weaker than real networks: "
        "loopback refuses at once.",
        fetching.ip_versions,
    ),
)
_BY_ID = {one.id: one for one in CRITERIA}


def chosen(only: str | None) -> Sequence[Criterion]:
    """The criteria of a list such as A3,A7, or all. Raises InvalidParams."""
    if only is None:
        return CRITERIA
    names = [name.strip().upper() for name in only.split(",") if name.strip()]
    unknown = [name for name in names if name not in _BY_ID]
    if unknown or not names:
        raise InvalidParams(
            f"There is no criterion {(unknown or [only])[0][:20]!r}.", remedy="Use A1 to A21, such as --only A3,A7."
        )
    return [one for one in CRITERIA if one.id in names]


async def measure_acceptance(
    criteria: Sequence[Criterion],
    *,
    seed: int = 1,
    is_quick: bool = False,
    topic_minutes: float = TOPIC_MINUTES,
    kept: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
    keep: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """Every criterion with figure, bar, met or not, and how; one whose measurement breaks is not met.

    `keep` is given what is known after each criterion, so that a run that is broken off loses none; researched topics
    are written to `kept`, and taken from there.
    """
    found: dict[str, Any] = {}
    began = time.monotonic()

    def result() -> dict[str, Any]:
        met = [one["met"] for one in found.values()]
        return {
            "criteria": dict(found),
            "met": met.count(True),
            "missed": met.count(False),
            "not_measured": met.count(None),
            "of": len(criteria),
            "seed": seed,
            "is_quick": is_quick,
            "seconds": round(time.monotonic() - began, 1),
        }

    async def work(bench: Bench) -> None:
        for one in criteria:
            found[one.id] = await _measure(one, bench)
            keep(result())

    options = {"seed": seed, "is_quick": is_quick, "topic_minutes": topic_minutes, "kept": kept, "tell": tell}
    await with_bench(work, **options)
    return result()


async def _measure(criterion: Criterion, bench: Bench) -> dict[str, Any]:
    began = time.monotonic()
    bench.tell(f"{criterion.id} {criterion.title}")
    try:
        figures = await criterion.measure(bench)
    except LyraError as exc:
        figures = Figures({}, {"all": f"{exc.code}: {exc.message}"})
    seconds = time.monotonic() - began
    found = result_fields(criterion, figures, seconds, stamp(SystemClock().now()), is_quick=bench.is_quick)
    word = {True: "met", False: "missed", None: "not measured in full"}[found["met"]]
    bench.tell(f"{criterion.id} {word}: {found['value']} (bar {found['bar']}), {seconds:.0f} s")
    return found
