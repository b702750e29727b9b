"""robots.txt through a getter and the database; and 4,231 real files."""

import subprocess
from pathlib import Path
from typing import Any

from lyra.model.domain import RobotsFile
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.policy.robots import Robots, RobotsDecision, decode, judge
from lyra.settings import Politeness
from lyra.storage.database import Database

PAGE = "https://www.fdso.gov/internal/a"
DENIED = RobotsDecision(False, reason="robots.txt of www.fdso.gov disallows this address.")


class Site:
    """A getter that answers every request alike and counts them."""

    def __init__(self, result: FetchResult) -> None:
        self.asked: list[str] = []
        self.result = result

    async def __call__(self, request: FetchRequest) -> FetchResult:
        self.asked.append(request.url)
        return self.result


def answer(status: int, body: bytes = b"", outcome: FetchOutcome = FetchOutcome.OK, **more: Any) -> FetchResult:
    return FetchResult("https://www.fdso.gov/robots.txt", outcome, status_code=status, body=body, **more)


RULES = answer(200, b"User-agent: *\nDisallow: /internal/")


async def test_file_is_fetched_once_a_day(db: Database, leaping: Any) -> None:
    """The file is remembered for its time to live, over restarts and processes, and asked for again after."""
    site = Site(RULES)
    first = await Robots(db, leaping, Politeness()).decision(PAGE, site)
    await leaping.sleep(86_000)
    second = await Robots(db, leaping, Politeness()).decision(PAGE, site)
    asked_within = list(site.asked)
    await leaping.sleep(401)

    third = await Robots(db, leaping, Politeness()).decision(PAGE, site)

    assert [first, second, third] == [DENIED] * 3
    assert asked_within == ["https://www.fdso.gov/robots.txt"]
    assert len(site.asked) == 2


async def test_server_error_is_remembered_for_ten_minutes(db: Database, leaping: Any) -> None:
    """A server in trouble is left alone, then asked again; its recovery is seen."""
    site = Site(answer(503, outcome=FetchOutcome.FAILED))
    robots = Robots(db, leaping, Politeness())
    before = await robots.decision(PAGE, site)
    site.result = RULES
    await leaping.sleep(599)
    meanwhile = await robots.decision(PAGE, site)
    await leaping.sleep(1)

    after = await robots.decision(PAGE, site)

    assert [before.retry_after_s, meanwhile.retry_after_s, after] == [600.0, 600.0, DENIED]


async def test_failure_without_answer_keeps_its_reason(db: Database, leaping: Any) -> None:
    """Why the file could not be had is told again from memory."""
    robots = Robots(db, leaping, Politeness())
    site = Site(FetchResult(PAGE, FetchOutcome.TIMED_OUT, reason="www.fdso.gov did not answer in full within 60 s."))
    await robots.decision(PAGE, site)

    known = await robots.known_decision(PAGE)

    assert known == RobotsDecision(
        False,
        outcome=FetchOutcome.FAILED,
        reason="robots.txt could not be read: www.fdso.gov did not answer in full within 60 s.",
        retry_after_s=120.0,
    )


async def test_file_that_broke_off_is_no_file(db: Database, leaping: Any) -> None:
    """Half a file might lack the very rule that matters."""
    site = Site(answer(200, outcome=FetchOutcome.FAILED, is_partial=True, reason="The body was cut off."))

    decision = await Robots(db, leaping, Politeness()).decision(PAGE, site)

    assert (decision.is_allowed, decision.outcome) == (False, FetchOutcome.FAILED)


async def test_empty_file_allows_everything(db: Database, leaping: Any) -> None:
    """An empty robots.txt has no rules, though an empty page would be a failure."""
    site = Site(answer(200, outcome=FetchOutcome.FAILED, reason="Status 200: the server sent an empty body."))

    assert await Robots(db, leaping, Politeness()).decision(PAGE, site) == RobotsDecision(True)


async def test_rest_of_the_domain_is_not_remembered_as_its_rules(db: Database, leaping: Any) -> None:
    """When the file could not be asked for because the domain rests, that is not kept."""
    robots = Robots(db, leaping, Politeness())
    await robots.decision(PAGE, Site(FetchResult(PAGE, FetchOutcome.COOLING_DOWN, reason="rests", retry_after_s=60)))

    assert await robots.known_decision(PAGE) is None


def test_real_files_are_all_readable(shared_data: Path, tmp_path: Path) -> None:
    """Thousands of real files, error pages among them, give a decision each and never an exception."""
    subprocess.run(
        ["tar", "--zstd", "-xf", shared_data / "conformance" / "robots" / "tests.tar.zst", "-C", tmp_path], check=True
    )
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name == "test_data"]

    rulings = [
        judge(RobotsFile(f"https://{path.name}", decode(path.read_bytes()), 200, None), f"https://{path.name}/a?b=c")
        for path in files
    ]

    assert len(rulings) == 4194
    assert [decision for decision in rulings if not decision.is_allowed and not decision.reason] == []
