"""A6, A17, A18 and A20: what concerns this machine and its models, not the web."""

import asyncio
import importlib.metadata
import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lyra.app import Lyra
from lyra.calibration.measure import brier_classes
from lyra.claims.windows import Setting
from lyra.clock import SystemClock
from lyra.fetch.browser.profile_checks import check_profile
from lyra.jobs.slots import Slots, capacities
from lyra.model.edge import Relation, Stance
from lyra.model.job import Priority, Slot
from lyra.settings import Settings
from lyra.storage.database import Database
from lyra_bench.measure.acceptance.bench import Bench, in_thread
from lyra_bench.measure.acceptance.criterion import Figures, share
from lyra_bench.measure.acceptance.researched import Researched
from lyra_bench.measure.acceptance.researching import researched
from lyra_bench.measure.judge import TestPair, default_file, read_pairs

_PACKAGE = "lyra-mcp"
# Clients of services that cost money or need an account: none of them may be a dependency.
_PAID_PACKAGES = (
    "anthropic", "apify-client", "azure", "boto3", "brightdata", "browserbase", "cohere", "exa-py", "firecrawl",
    "google-api", "google-cloud", "google-generativeai", "mistralai", "openai", "pinecone", "scrapingbee", "serpapi",
    "serper", "tavily", "twocaptcha", "voyageai", "weaviate", "zyte",
)  # fmt: skip
_PAID_HOSTS = (
    "anthropic.com", "api.bing.microsoft.com", "api.search.brave.com", "azure.com", "brightdata.com", "cohere.com",
    "firecrawl.dev", "googleapis.com", "openai.com", "scrapingbee.com", "serpapi.com", "serper.dev", "tavily.com",
)  # fmt: skip
# In the order of the probabilities of a stance.
_RELATIONS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)
_TASKS, _QUICK_TASKS = 100, 20
_HELD_S = 0.002
_PROFILES, _QUICK_PROFILES = 100, 20
_PROMOTED = 0.7
_AT_ONCE = 64
_QUICK_PAIRS = 60


async def costs(bench: Bench) -> Figures:
    """Names among the dependencies, and hosts that were asked in the research, that cost money."""
    needed = required(_PACKAGE)
    paid = sorted(name for name in needed if name.startswith(_PAID_PACKAGES))
    runs: list[Researched] = await bench.once("research", researched)
    hosts = {host for run in runs for host in run.hosts}
    asked = sorted(host for host in hosts if host.endswith(_PAID_HOSTS))
    return Figures(
        {"paid_dependencies": len(paid) if needed else None, "paid_hosts_asked": len(asked)},
        {} if needed else {"paid_dependencies": f"{_PACKAGE} is not installed as a package"},
        {"dependencies": len(needed), "hosts": len(hosts), "paid": [*paid, *asked]},
    )


def required(name: str) -> set[str]:
    """Everything that an installation without extras needs, by name."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        try:
            wanted = importlib.metadata.requires(waiting.pop()) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        plain = [one.split(";")[0] for one in wanted if "extra ==" not in one]
        names = {"".join(c if c.isalnum() or c in "-_." else " " for c in one).split()[0].lower() for one in plain}
        waiting += names - found
        found |= names
    return found


async def exclusion(bench: Bench) -> Figures:
    """Uses of the GPU and of a window by two connections to one database, at random moments; and what sites saw."""
    count = _QUICK_TASKS if bench.is_quick else _TASKS
    path = bench.data_dir("slots") / "lyra.db"
    chance, log = random.Random(bench.seed), _HeldLog()
    processes = [await Database.open(path) for _ in range(2)]
    seats = [Slots(db, SystemClock(), f"p{number}", capacities(4)) for number, db in enumerate(processes)]
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                slot = Slot.GPU if chance.random() < 0.5 else Slot.BROWSER_HEADFUL
                group.create_task(log.use(seats[number % 2], slot, chance.uniform(0, 0.05)))
    finally:
        for db in processes:
            await db.close()
    runs: list[Researched] = await bench.once("research", researched)
    return Figures(
        {"gpu_and_window": log.together, "same_domain": sum(run.violations for run in runs)},
        details={"uses": log.uses, "requests": sum(run.requests for run in runs)},
    )


class _HeldLog:
    """Counts how often the two were held together."""

    def __init__(self) -> None:
        self._held: list[Slot] = []
        self.together = 0
        self.uses = 0

    async def use(self, slots: Slots, slot: Slot, after_s: float) -> None:
        await asyncio.sleep(after_s)
        async with slots.hold(slot, Priority.EMBED):
            self.together += any(one is not slot for one in self._held)
            self._held.append(slot)
            self.uses += 1
            await asyncio.sleep(_HELD_S)
            self._held.remove(slot)


async def calibration(bench: Bench) -> Figures:
    """Brier of the reader's own probabilities and of the calibrated ones, on pairs nothing was trained or fitted on."""
    path = default_file()
    if not path.exists():
        why = "the test set (benchmarks/judge) is part of the source tree and not of the package"
        return Figures(
            {"brier_gain": None, "fewer_false_promotions": None}, {"brier_gain": why, "fewer_false_promotions": why}
        )
    pairs = [pair for pair in read_pairs(path) if pair.label is not None]
    pairs = random.Random(bench.seed).sample(pairs, _QUICK_PAIRS) if bench.is_quick else pairs
    async with Lyra.open(Settings(data_dir=bench.data_dir("judge"))) as lyra:
        stances: list[Stance] = []
        for at in range(0, len(pairs), _AT_ONCE):
            part = pairs[at : at + _AT_ONCE]
            texts = [(pair.passage, pair.claim) for pair in part]
            stances += await lyra.judge.judge(texts, [Setting(pair.title) for pair in part])
            bench.tell(f"judged {len(stances)} of {len(pairs)} pairs")
    return _gains([(pair, one) for pair, one in zip(pairs, stances, strict=True) if one.raw_probabilities])


def _gains(judged: Sequence[tuple[TestPair, Stance]]) -> Figures:
    truth = [_RELATIONS.index(pair.label) for pair, _ in judged if pair.label is not None]
    raw = [one.raw_probabilities for _, one in judged if one.raw_probabilities is not None]
    calibrated = [one.probabilities for _, one in judged]
    before, after = brier_classes(raw, truth), brier_classes(calibrated, truth)
    wrongly = [_promoted(rows, truth) for rows in (raw, calibrated)]
    fewer = (wrongly[0] - wrongly[1]) / wrongly[0] if wrongly[0] else None
    missing = {} if fewer is not None else {"fewer_false_promotions": "no pair was promoted falsely before calibration"}
    return Figures(
        {
            "brier_gain": round((before - after) / before, 4),
            "fewer_false_promotions": None if fewer is None else round(fewer, 4),
        },
        missing,
        {"pairs": len(truth), "brier_before": round(before, 4), "brier_after": round(after, 4), "promoted": wrongly},
    )


def _promoted(rows: Sequence[Sequence[float]], truth: Sequence[int]) -> int:
    """Pairs called supports with the probability that adopts a claim, though they are not."""
    supports = _RELATIONS.index(Relation.SUPPORTS)
    return sum(row[supports] >= _PROMOTED and true != supports for row, true in zip(rows, truth, strict=True))


async def profiles(bench: Bench) -> Figures:
    """Profiles of the browser, three quarters of them damaged, checked as before every start."""
    count = _QUICK_PROFILES if bench.is_quick else _PROFILES
    return await in_thread(_check_profiles, bench.data_dir("profiles"), count)  # type: ignore[no-any-return]


def _check_profiles(folder: Path, count: int) -> Figures:
    dead = _dead_process()
    run = damaged = repaired = 0
    for number in range(count):
        profile = folder / str(number)
        is_damaged = _make_profile(profile, number % 4, dead)
        try:
            checks = check_profile(profile, repairs=True)
        except (OSError, ValueError):
            continue
        run += 1
        damaged += is_damaged
        again = check_profile(profile, repairs=False)
        repaired += is_damaged and any(one.is_repaired for one in checks) and all(one.is_fine for one in again)
    return Figures(
        {"checked": share(run, count), "repaired": share(repaired, damaged)},
        details={"profiles": count, "damaged": damaged},
    )


def _make_profile(profile: Path, kind: int, dead: int) -> bool:
    """Sound, locked by a dead browser, crashed or with settings that are no JSON, with an extension."""
    default = profile / "Default"
    default.mkdir(parents=True)
    ending = "Crashed" if kind == 2 else "Normal"
    (default / "Preferences").write_text(json.dumps({"profile": {"exit_type": ending}}), "utf-8")
    if kind == 1:
        os.symlink(f"{socket.gethostname()}-{dead}", profile / "SingletonLock")
    if kind == 3:
        (default / "Extensions" / "abcdefgh").mkdir(parents=True)
        (default / "Preferences").write_text("{", "utf-8")
    return kind != 0


def _dead_process() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        return process.pid
