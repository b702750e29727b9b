"""How true the Evidence Graph is: the truth file's own queries through the whole pipeline, measured against it."""

import tempfile
import time
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.errors import InvalidParams
from lyra.evidence.independence import supporting_sources, voting_rows
from lyra.evidence.whatif import group_by_claim
from lyra.model.claim import AdoptionStatus, AssessedClaim, Assessment, Verdict
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.page import Fragment, GroupKind, Page, PageGroup
from lyra.model.search import SearchOptions
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.research.assessing import find_page_groups, fragments_read
from lyra.research.assessing import pages_as_one_source as joined_groups
from lyra.storage import claims, edges, pages
from lyra_bench.measure import measures
from lyra_bench.measure.ceiling import acceptable_if_read_as_planted
from lyra_bench.measure.leading import (
    FIGURES,
    Leading,
    contradiction_shares,
    known_stances,
    stance_shares,
    total,
)
from lyra_bench.measure.memory import PeakMemory
from lyra_bench.planted import SUPPORTS, Ground, Row
from simweb import SimWeb
from simweb.apis import pubmed
from simweb.truth import Claim as Planted
from simweb.truth import Truth, load_truth
from simweb.world import WORLD, load_topic

if TYPE_CHECKING:
    from apsw import Connection

_SEARCH_LIMIT_S = 1800.0
_TRUTHS = ("true", "false")
# Nobody is burdened by quick requests to this machine.
UNHURT: Mapping[str, Any] = {
    "politeness.domain_qps": 50.0,
    "politeness.pause_min_s": 0.0,
    "politeness.pause_max_s": 0.02,
    "politeness.engine_qps": 20.0,
    "politeness.api_qps": 20.0,
    "jobs.poll_s": 0.1,
}


@dataclass(frozen=True, slots=True)
class Graph:
    """What a task's graph holds, as the measures need it."""

    claims: tuple[AssessedClaim, ...]
    mentions: Mapping[str, Sequence[Row]]
    edges: Sequence[Row]
    fragments: Sequence[Row]
    rows: Sequence[EvidenceRow]
    originals: Mapping[str, str]
    copied_from: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measured:
    """The leading figures of each topic by language, and the other figures of each topic."""

    leading: Mapping[str, Mapping[str, Leading]]
    rest: Mapping[str, Mapping[str, Any]]

    @property
    def by_topic(self) -> dict[str, Leading]:
        return {topic: total(found.values()) for topic, found in self.leading.items()}

    @property
    def by_language(self) -> dict[str, Leading]:
        """Over all topics."""
        names = sorted({language for found in self.leading.values() for language in found})
        return {name: total(one[name] for one in self.leading.values() if name in one) for name in names}

    def fields(self) -> dict[str, Any]:
        """Plain data, the leading figures first."""
        return {
            "leading": {
                "topics": {name: _leading_fields(one) for name, one in self.by_topic.items()},
                "languages": {name: _leading_fields(one) for name, one in self.by_language.items()},
            },
            "topics": {name: dict(one) for name, one in self.rest.items()},
        }


def _leading_fields(found: Leading) -> dict[str, Any]:
    return {name: _told(found.share(name)) for name in FIGURES}


async def measure_evidence(
    topic: str | None = None, *, queries: int | None = None, keep: Path | None = None
) -> "Measured":
    """Run the queries (the first `queries` of each kind, or all) of one topic or of all, and measure their graphs."""
    found = {name: await _measure(name, queries, keep) for name in topic_names(topic)}
    return Measured({name: one[0] for name, one in found.items()}, {name: one[1] for name, one in found.items()})


def topic_names(topic: str | None) -> list[str]:
    """The topic that is asked for, or all of the simulated web. Raises InvalidParams where there is none."""
    known = sorted(path.parent.name for path in WORLD.glob("*/truth.yaml"))
    if topic is not None and topic not in known:
        raise InvalidParams(
            f"The simulated web has no topic {topic[:40]!r}.", remedy=f"Use one of: {', '.join(known)}."
        )
    return known if topic is None else [topic]


async def _measure(topic: str, queries: int | None, keep: Path | None) -> tuple[dict[str, Leading], dict[str, Any]]:
    """The leading figures of a topic by language, and all the others."""
    truth = load_truth(topic)
    async with on_simulated_web(keep / topic if keep else None) as lyra:
        async with PeakMemory(lambda: lyra.models.status().pid) as memory:
            started = time.perf_counter()
            task_id, hypotheses, searches = await research(lyra, truth, queries)
            seconds = time.perf_counter() - started
        graph = await lyra.db.read(read_graph, task_id)
        groups = await find_page_groups(lyra.db, task_id, lyra.models.embedder.model_id)
        readers = lyra.models.cascade.model_ids
    rest = {
        **figures(truth, graph, hypotheses, groups, main_texts(topic), paper_addresses(topic)),
        "readers": readers,
        "searches": searches,
        "seconds": round(seconds, 1),
        "peak_mb": {"lyra_and_simulated_web": memory.own_mb, "models": memory.other_mb},
    }
    return leading_figures(truth, graph, hypotheses, groups), rest


@asynccontextmanager
async def on_simulated_web(keep: Path | None) -> AsyncIterator[Lyra]:
    """Lyra with its worker on the simulated web; its data in `keep`, or in a directory that goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch, SimWeb() as web:
        flags = {
            **UNHURT,
            "data_dir": keep or Path(scratch),
            "network.proxy": web.proxy_url,
            "network.ca_bundle": web.ca_path,
        }
        settings = settings_module.load(flags, environ={}, path=no_file(Path(scratch)))
        async with Lyra.open(settings, with_worker=True) as lyra:
            yield lyra


def no_file(directory: Path) -> Path:
    """An empty settings file: the user's own settings must not shape the figures."""
    path = directory / "settings.toml"
    path.write_text("", "utf-8")
    return path


async def research(lyra: Lyra, truth: Truth, most: int | None) -> tuple[str, dict[str, str], int]:
    """Ask the truth file's queries, the first `most` of each kind: the task, its hypotheses' ids, how many searches."""
    language = next(iter(truth.queries))
    texts = [truth.claim(name).text[language] for name in truth.hypotheses]
    config = TaskConfig(budget=Budget(1000, 36_000.0), hypotheses=tuple(map(Hypothesis, texts)))
    task, ids = await lyra.tasks.create(truth.question[language], config)
    plan = [(query, kind == "refute") for kind, found in truth.queries.items() for query in found[:most]]
    for query, refute in plan:
        search = await lyra.searches.start(task.id, query, SearchOptions(refute=refute))
        await lyra.searches.wait(search.id, _SEARCH_LIMIT_S)
    return task.id, dict(zip(truth.hypotheses, ids, strict=True)), len(plan)


def leading_figures(
    truth: Truth, graph: Graph, hypotheses: Mapping[str, str], groups: Sequence[PageGroup]
) -> dict[str, Leading]:
    """What a user meets first, by language: of a stance that of its words, of all else that of the claim."""
    ground, language = Ground(truth), next(iter(truth.question))
    stated: dict[str, set[tuple[str, str]]] = {claim_id: {(name, SUPPORTS)} for name, claim_id in hypotheses.items()}
    for claim_id, rows in graph.mentions.items():
        said = {(claim.id, side) for one in rows for claim, side in ground.stated_by(one)}
        stated.setdefault(claim_id, said)
    own = Leading(
        **verdict_shares(truth, graph.claims, hypotheses),
        independent_sources_exact_as_judged=independent_as_judged(ground, graph, hypotheses, joined_groups(groups)),
    )
    parts = (
        {language: own},
        stance_shares(known_stances(ground, hypotheses, graph.fragments, graph.rows)),
        contradiction_shares(
            ground,
            stated,
            {one.claim.id: one.claim.language for one in graph.claims},
            graph.fragments,
            graph.rows,
            shown_contradictions(graph.rows),
        ),
    )
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: total(part[name] for part in parts if name in part) for name in names}


def figures(
    truth: Truth,
    graph: Graph,
    hypotheses: Mapping[str, str],
    groups: Sequence[PageGroup],
    texts: Mapping[str, str],
    papers: Sequence[Collection[str]] = (),
) -> dict[str, Any]:
    """Every other measure of one graph; `texts` are the main texts of the topic's pages by address and work, `papers`
    the addresses of each paper."""
    ground, joined = Ground(truth), joined_groups(groups)
    own = {one.claim.id for one in graph.claims if one.claim.is_hypothesis}
    found = {claim_id: rows for claim_id, rows in graph.mentions.items() if claim_id not in own}
    said = [row for rows in graph.mentions.values() for row in rows]
    shown = shown_contradictions(graph.rows)
    contested = {one.claim.id for one in graph.claims if one.assessment.verdict is Verdict.CONTESTED}
    stance = measures.stance_f1(ground, hypotheses, graph.edges)
    sterner = measures.stance_f1_with_neutrals(ground, hypotheses, graph.edges)
    lenient, strict = measures.lenient_precision(ground, found, texts), measures.strict_precision(ground, found)
    return {
        "hypotheses": hypothesis_fields(truth, graph.claims, hypotheses),
        "pages_read": len({row["url"] for row in graph.fragments}),
        "fragments_read": len(graph.fragments),
        "claims_found": len(found),
        "pairs_judged": len(graph.edges),
        "claim_precision": lenient.value,
        "claim_precision_strict": strict.value,
        "claim_recall": _told(measures.recall(ground, said)),
        "quote_recall": _told(measures.quote_recall(ground, graph.fragments, said)),
        "stance_macro_f1": stance.macro,
        "stance_f1": {**stance.per_class, "pairs": stance.pairs},
        "stance_macro_f1_with_neutrals": sterner.macro,
        "stance_f1_with_neutrals": {**sterner.per_class, "pairs": sterner.pairs},
        "independent_sources_exact_by_quotes": _told(independent_exact(ground, graph, joined)),
        "independent_sources_beyond_planted": sources_beyond_planted(ground, graph, hypotheses),
        "contradictions_found": _told(measures.contradictions_found(ground, hypotheses, graph.fragments, shown)),
        "false_contradictions": _told(measures.false_contradictions(ground, hypotheses, graph.mentions, shown)),
        "contested_found": _told(measures.contradictions_found(ground, hypotheses, graph.fragments, contested)),
        "false_contested": _told(measures.false_contradictions(ground, hypotheses, graph.mentions, contested)),
        **deception(truth, graph, groups, papers),
        "claims_from_empty_pages": sum(1 for row in said if row["url"] in truth.no_claims),
        "verdicts_if_read_as_planted": {
            which: _told(share)
            for which, share in acceptable_if_read_as_planted(
                truth,
                graph.rows,
                {str(row["id"]): row for row in graph.fragments},
                hypotheses,
                {one.claim.id: one.assessment for one in graph.claims},
                joined,
            ).items()
        },
    }


def verdict_shares(
    truth: Truth, found: Iterable[AssessedClaim], hypotheses: Mapping[str, str]
) -> dict[str, measures.Share]:
    """Which verdicts a careful reader would accept, and what is asserted though it is false, or because it is true.

    Asserted is a hypothesis that is called supported or well supported, or adopted.
    """
    judged = _judged(truth, found, hypotheses)
    asserted = {name for name, (_, one) in judged.items() if is_asserted(one)}
    right = {name for name, (planted, one) in judged.items() if one.verdict.value in planted.acceptable_verdicts}
    by_truth = {value: {name for name, (planted, _) in judged.items() if planted.truth == value} for value in _TRUTHS}
    return {
        "verdicts_acceptable": measures.Share(len(right), len(judged)),
        "asserted_though_false": measures.Share(len(asserted & by_truth["false"]), len(by_truth["false"])),
        "true_and_asserted": measures.Share(len(asserted & by_truth["true"]), len(by_truth["true"])),
    }


def hypothesis_fields(
    truth: Truth, found: Iterable[AssessedClaim], hypotheses: Mapping[str, str]
) -> dict[str, dict[str, str | None]]:
    """Each hypothesis with what it is and what it is called."""
    return {
        name: {
            "truth": planted.truth,
            "acceptable": "/".join(planted.acceptable_verdicts),
            "verdict": one.verdict.value,
            "adoption": one.adoption_status.value,
        }
        for name, (planted, one) in _judged(truth, found, hypotheses).items()
    }


def _judged(
    truth: Truth, found: Iterable[AssessedClaim], hypotheses: Mapping[str, str]
) -> dict[str, tuple[Planted, Assessment]]:
    assessed = {one.claim.id: one.assessment for one in found}
    return {name: (truth.claim(name), assessed[claim_id]) for name, claim_id in hypotheses.items()}


def is_asserted(assessment: Assessment) -> bool:
    """Whether a reader is told that a claim holds."""
    is_supported = assessment.verdict in (Verdict.SUPPORTED, Verdict.WELL_SUPPORTED)
    return is_supported or assessment.adoption_status is AdoptionStatus.ADOPTED


def deception(
    truth: Truth, graph: Graph, groups: Sequence[PageGroup], papers: Sequence[Collection[str]] = ()
) -> dict[str, Any]:
    """Loops, stories told in many places and self-references: how many of those planted and read were found, and how
    many of those found were planted. `papers` are the addresses of each paper, which are rightly one."""
    urls = {str(row["page_id"]): str(row["url"]) for row in graph.fragments}
    by_kind = {
        kind: [{urls[one] for one in group.pages if one in urls} for group in groups if group.kind is kind]
        for kind in GroupKind
    }
    loops = [set(loop.pages) for loop in truth.loops]
    stories = [set(farm.pages) for farm in truth.farms]
    stories += [{original, *copies} for original, copies in truth.copies.items()]
    alone = [{url} for url in truth.self_references]
    read = frozenset(urls.values())
    return {
        "loops_found": _told(measures.groups_found(loops, read, by_kind[GroupKind.LOOP])),
        "false_loops": _told(measures.false_groups(loops, by_kind[GroupKind.LOOP])),
        "stories_found": _told(measures.groups_found(stories, read, by_kind[GroupKind.NARRATIVE])),
        "false_stories": _told(measures.false_groups([*stories, *papers], by_kind[GroupKind.NARRATIVE])),
        "self_references_found": _told(measures.groups_found(alone, read, by_kind[GroupKind.SELF_REFERENCE], least=1)),
        "false_self_references": _told(measures.false_groups(alone, by_kind[GroupKind.SELF_REFERENCE])),
    }


def _told(share: measures.Share) -> dict[str, Any]:
    return {"value": share.value, "of": f"{share.part}/{share.whole}"}


def shown_contradictions(rows: Iterable[EvidenceRow]) -> frozenset[str]:
    """Claims with voting evidence on both sides: what `v_contradictions` shows."""
    both = {Relation.SUPPORTS, Relation.REFUTES}
    sides = {claim_id: {row.relation for row in voting_rows(own)} for claim_id, own in group_by_claim(rows).items()}
    return frozenset(claim_id for claim_id, said in sides.items() if both <= said)


def independent_exact(ground: Ground, graph: Graph, joined: Sequence[frozenset[str]]) -> measures.Share:
    """For each planted claim: do the fragments that hold its supporting quotes count as many sources as were planted?

    All of them are taken as supports, so that this measures independence and not the readers.
    """
    rows: dict[str, list[EvidenceRow]] = {}
    sources: dict[str, set[str]] = {}
    for fragment in graph.fragments:
        for claim, side, one in ground.held_by(fragment):
            if side == SUPPORTS:
                rows.setdefault(claim.id, []).append(_row(fragment, graph))
                sources.setdefault(claim.id, set()).add(one.source)
    exact = sum(1 for name, found in rows.items() if len(supporting_sources(found, joined)) == len(sources[name]))
    return measures.Share(exact, len(rows))


def _row(fragment: Row, graph: Graph) -> EvidenceRow:
    return EvidenceRow(
        claim_id="",
        fragment_id=str(fragment["id"]),
        page_id=str(fragment["page_id"]),
        domain=str(fragment["domain"]),
        relation=Relation.SUPPORTS,
        nli_confidence=1.0,
        work_id=fragment["work_id"],
        duplicate_key=graph.originals[str(fragment["id"])],
        copied_from=graph.copied_from.get(str(fragment["id"]), ()),
    )


def independent_as_judged(
    ground: Ground, graph: Graph, hypotheses: Mapping[str, str], joined: Sequence[frozenset[str]]
) -> measures.Share:
    """For each hypothesis: do the fragments with planted quotes on it that were judged supports come from as many
    sources as were planted among those judged? This measures the readers and independence together."""
    told = {str(fragment["id"]): fragment for fragment in graph.fragments}
    exact = 0
    for name, claim_id in hypotheses.items():
        own = [(row, _sides(ground, told[row.fragment_id], name)) for row in graph.rows if row.claim_id == claim_id]
        found = supporting_sources([row for row, sides in own if sides], joined)
        exact += len(found) == len({source for _, sides in own for side, source in sides if side == SUPPORTS})
    return measures.Share(exact, len(hypotheses))


def _sides(ground: Ground, fragment: Row, name: str) -> list[tuple[str, str]]:
    """Side and source of the quotes on one planted claim that a fragment holds."""
    return [(side, one.source) for claim, side, one in ground.held_by(fragment) if claim.id == name]


def sources_beyond_planted(ground: Ground, graph: Graph, hypotheses: Mapping[str, str]) -> float:
    """How many more independent sources a hypothesis has in the graph than were planted among those judged, on average.

    Some are right, for pages support what was not planted; most of the rest are wrong supports.
    """
    stored = {one.claim.id: one.assessment.independent_sources for one in graph.claims}
    beyond = []
    for name, claim_id in hypotheses.items():
        judged = [row for row in graph.edges if row["claim_id"] == claim_id]
        planted = {source for row in judged for side, source in _sides(ground, row, name) if side == SUPPORTS}
        beyond.append(stored[claim_id] - len(planted))
    return round(sum(beyond) / len(beyond), 2) if beyond else 0.0


def main_texts(topic: str) -> dict[str, str]:
    """The main text of every page of a topic, by address and by work."""
    loaded = load_topic(WORLD / topic)
    texts: dict[str, str] = {}
    for page in (*loaded.pages, *pubmed.pages(loaded.papers)):
        texts[page.url] = " ".join(page.text.split())
    for paper in loaded.papers:
        names = [f"doi:{paper.doi.lower()}"] if paper.doi else []
        texts.update(dict.fromkeys(names, " ".join(paper.abstract.split())))
    return texts


def paper_addresses(topic: str) -> list[frozenset[str]]:
    """Every address at which each paper of a topic can be read."""
    loaded = load_topic(WORLD / topic)
    shown = (*loaded.pages, *pubmed.pages(loaded.papers))
    return [
        frozenset({f"https://doi.org/{paper.doi}", *(page.url for page in shown if page.paper == paper)})
        for paper in loaded.papers
    ]


def read_graph(connection: "Connection", task_id: str) -> Graph:
    """The graph of a task as the measures need it."""
    found = claims.assessed_of_task(connection, task_id)
    read = {one.id: one for one in fragments_read(connection, task_id)}
    known = {one.page_id: pages.get(connection, one.page_id) for one in read.values()}
    places = {page_id: page for page_id, page in known.items() if page is not None}
    told = {one.id: _fragment_row(one, places[one.page_id]) for one in read.values()}
    mentions: dict[str, list[Row]] = {}
    for one in claims.mentions_of(connection, [each.claim.id for each in found]):
        mentions.setdefault(one.claim_id, []).append({**told[one.fragment_id], "quote": one.quote})
    rows = edges.evidence_of_task(connection, task_id)
    return Graph(
        claims=found,
        mentions=mentions,
        edges=[{**told[row.fragment_id], "claim_id": row.claim_id, "relation": row.relation.value} for row in rows],
        fragments=list(told.values()),
        rows=rows,
        originals={
            one.id: read[one.near_duplicate_of].text_hash if one.near_duplicate_of in read else one.text_hash
            for one in read.values()
        },
        copied_from={
            one.id: (_source(places[read[one.near_duplicate_of].page_id]),)
            for one in read.values()
            if one.near_duplicate_of in read
        },
    )


def _source(page: Page) -> str:
    return f"work:{page.work_id}" if page.work_id else f"domain:{page.domain}"


def _fragment_row(fragment: Fragment, page: Page) -> Row:
    return {
        "id": fragment.id,
        "page_id": page.id,
        "url": page.url,
        "domain": page.domain,
        "work_id": page.work_id,
        "text": fragment.text_content,
    }
