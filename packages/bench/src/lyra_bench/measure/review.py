"""`lyra bench review`: a perfect reviewer on the simulated web, and how soon verdicts are right.

He knows what was planted: a text that holds a planted quote on a hypothesis says what its quote says, any other is
neutral; one that holds quotes of both sides he leaves alone. He reviews in the order of the queue (what speaks of
hypotheses, for only they have a known verdict) and, for comparison, in random orders.
"""

import random
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.model.edge import Relation
from lyra.research.reviewing import MAX_AT_ONCE, ReviewInput
from lyra.storage import claims
from lyra_bench.measure.evidence import UNHURT, no_file, research
from lyra_bench.planted import Ground, Row, plain
from simweb import SimWeb
from simweb.truth import Truth, load_truth, load_truths

if TYPE_CHECKING:
    from apsw import Connection

AFTER = (0, 5, 10, 20, 40)
SEEDS = (1, 2, 3)
_PLACES = 3
_EDGES = """
select e.id as edge_id, e.target_id as claim_id, p.url, p.work_id, f.text_content as text
from edges e
join claims c on c.id = e.target_id and c.is_hypothesis = 1
join fragments f on f.id = e.source_id
join pages p on p.id = f.page_id
where e.task_id = ? and e.source_type = 'fragment'
order by e.id
"""
# Which edge is reviewed next, given those that were; None where none is left.
Choose = Callable[[set[str]], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Played:
    """Hypotheses with an acceptable verdict after each number of reviews, and how many reviews there were to give."""

    right: tuple[float, ...]
    given: float


async def measure_review(
    topic: str | None = None, *, queries: int | None = None, keep: Path | None = None
) -> dict[str, Any]:
    """Verdict accuracy by number of reviews, for each topic and language: one topic or all."""
    names = [topic] if topic else sorted(load_truths())
    topics = {name: await _measure(name, queries, keep) for name in names}
    return {"after_reviews": list(AFTER), "seeds": list(SEEDS), "topics": topics, "languages": by_language(topics)}


async def _measure(topic: str, queries: int | None, keep: Path | None) -> dict[str, Any]:
    truth = load_truth(topic)
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch, SimWeb() as web:
        flags = {
            **UNHURT,
            "data_dir": keep / topic if keep else Path(scratch),
            "network.proxy": web.proxy_url,
            "network.ca_bundle": web.ca_path,
        }
        settings = settings_module.load(flags, environ={}, path=no_file(Path(scratch)))
        async with Lyra.open(settings, with_worker=True) as lyra:
            task_id, hypotheses, _ = await research(lyra, truth, queries)
            bench = _Bench(lyra, truth, task_id, hypotheses)
            await bench.load()
            queued = await bench.play(bench.next_in_queue)
            drawn = [await bench.play(bench.next_at_random(seed)) for seed in SEEDS]
            ceiling = await bench.review_all()
    return {
        "language": next(iter(truth.queries)),
        "hypotheses": len(hypotheses),
        "queue": _told([queued], len(hypotheses)),
        "random": _told(drawn, len(hypotheses)),
        "all_reviewed": round(ceiling / len(hypotheses), _PLACES),
    }


class _Bench:
    """One task, and what its reviewer knows of its edges."""

    def __init__(self, lyra: Lyra, truth: Truth, task_id: str, hypotheses: Mapping[str, str]) -> None:
        self._lyra = lyra
        self._truth = truth
        self._task_id = task_id
        self._hypotheses = hypotheses
        self._known: dict[str, Relation] = {}

    async def load(self) -> None:
        rows = await self._lyra.db.read(_edges, self._task_id)
        self._known = known_relations(self._truth, self._hypotheses, rows)

    async def play(self, choose: Choose) -> Played:
        """Review by the order given, count right verdicts on the way, and take all reviews back."""
        reviewed: set[str] = set()
        right = [await self._right()]
        for number in range(1, AFTER[-1] + 1):
            edge_id = await choose(reviewed)
            if edge_id is None:
                break
            await self._lyra.reviews.add_one(ReviewInput(edge_id, self._known[edge_id].value, "", "bench"))
            reviewed.add(edge_id)
            if number in AFTER:
                right.append(await self._right())
        right += [await self._right()] * (len(AFTER) - len(right))
        for edge_id in sorted(reviewed):
            await self._lyra.reviews.undo(edge_id)
        return Played(tuple(right), len(reviewed))

    async def review_all(self) -> int:
        """Hypotheses with an acceptable verdict once every edge was reviewed: more, no reviewer can reach."""
        said = [ReviewInput(edge_id, relation.value, "", "bench") for edge_id, relation in sorted(self._known.items())]
        for at in range(0, len(said), MAX_AT_ONCE):
            await self._lyra.reviews.add(said[at : at + MAX_AT_ONCE])
        right = await self._right()
        for one in said:
            await self._lyra.reviews.undo(one.edge_id)
        return right

    async def next_in_queue(self, reviewed: set[str]) -> str | None:
        rows = await self._lyra.reviews.queue(self._task_id, len(self._known) + 1, only_hypotheses=True)
        return next((row.edge_id for row in rows if row.edge_id in self._known), None)

    def next_at_random(self, seed: int) -> Choose:
        drawn = sorted(self._known)
        random.Random(seed).shuffle(drawn)

        async def choose(reviewed: set[str]) -> str | None:
            return next((edge_id for edge_id in drawn if edge_id not in reviewed), None)

        return choose

    async def _right(self) -> int:
        found = await self._lyra.db.read(claims.assessed_of_task, self._task_id)
        verdicts = {one.claim.id: one.assessment.verdict.value for one in found}
        return sum(
            verdicts[claim_id] in self._truth.claim(name).acceptable_verdicts
            for name, claim_id in self._hypotheses.items()
        )


def known_relations(truth: Truth, hypotheses: Mapping[str, str], rows: Sequence[Row]) -> dict[str, Relation]:
    """What a perfect reviewer says of each edge (`edge_id claim_id url work_id text`); none where both sides stand."""
    ground = Ground(truth)
    names = {claim_id: name for name, claim_id in hypotheses.items()}
    found = {}
    for row in rows:
        name = names[str(row["claim_id"])]
        sides = {side for claim, side, _ in ground.held_by(row) if claim.id == name}
        sides |= {
            one.side
            for one in truth.table_rows
            if one.claim == name and one.url == row["url"] and plain(one.quote) in plain(str(row["text"]))
        }
        if len(sides) < len(("supports", "refutes")):
            found[str(row["edge_id"])] = Relation(next(iter(sides), "neutral"))
    return found


def by_language(topics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The topics of each language together, every hypothesis counting alike."""
    told = {}
    for language in sorted({one["language"] for one in topics.values()}):
        own = [one for one in topics.values() if one["language"] == language]
        total = sum(one["hypotheses"] for one in own)
        told[language] = {
            "hypotheses": total,
            **{
                order: {
                    str(after): round(sum(one[order][str(after)] * one["hypotheses"] for one in own) / total, _PLACES)
                    for after in AFTER
                }
                for order in ("queue", "random")
            },
            "all_reviewed": round(sum(one["all_reviewed"] * one["hypotheses"] for one in own) / total, _PLACES),
        }
    return told


def _told(played: Sequence[Played], hypotheses: int) -> dict[str, Any]:
    """Shares of right verdicts by number of reviews, the mean of several plays."""
    shares = {
        str(after): round(sum(one.right[at] for one in played) / (len(played) * hypotheses), _PLACES)
        for at, after in enumerate(AFTER)
    }
    return {**shares, "reviews_given": round(sum(one.given for one in played) / len(played), 1)}


def _edges(connection: "Connection", task_id: str) -> list[Row]:
    cursor = connection.execute(_EDGES, (task_id,))
    names = ("edge_id", "claim_id", "url", "work_id", "text")
    return [dict(zip(names, row, strict=True)) for row in cursor]
