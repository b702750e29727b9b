"""Where the client names registries as a source: ask those that fit the query, read their records, keep their facts."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from lyra.errors import InvalidParams, LyraError
from lyra.extract.fragments import to_fragments
from lyra.ids import derived_id
from lyra.model.page import Fragment, Page, StoredPage
from lyra.model.registry import RegistryAnswer, RegistryRecord
from lyra.model.search import Candidate, CandidateState, Source
from lyra.names.compare import same_entity
from lyra.registries.entities import EntityRows, entity_rows, profile_of
from lyra.registries.question import read_question
from lyra.registries.record import record_document
from lyra.research.graph_builder import GraphBuilder
from lyra.research.phases.fetch import page_of_record
from lyra.research.search_run import SearchRun, no_answer_error
from lyra.storage import candidates, entities, pages
from lyra.urls import canonical

if TYPE_CHECKING:
    from apsw import Connection

# An estimate below this is no reason to show two entities as one.
_WORTH_SHOWING = 0.5


async def ask_registries(run: SearchRun) -> tuple[RegistryRecord, ...]:
    """Records that match the query; where registries are the only source and none answered, it raises why."""
    sources = run.search.options.sources
    if sources is None or Source.REGISTRIES not in sources:
        return ()
    answers = await run.parts.registries.search(read_question(run.search.query), cause_id=run.search.id)
    for one in answers:
        await run.log_answer(one.registry, one.outcome, one.reason, count=len(one.records), key_setting=one.key_setting)
    error = _why_none_answered(answers) if sources == (Source.REGISTRIES,) else None
    if error is not None:
        raise error
    # A record that is reached twice is read once.
    by_address = {canonical(record.url): record for one in answers for record in one.records}
    return tuple(by_address.values())


def _why_none_answered(answers: Sequence[RegistryAnswer]) -> LyraError | None:
    if not answers:
        return InvalidParams(
            "No registry answers such a query.",
            remedy="Name an organisation, a domain, a number or words; `lyra registries` shows who knows what.",
        )
    if all(one.is_unavailable for one in answers):
        names = ", ".join(one.registry for one in answers)
        return InvalidParams(
            f"The registries for such a query need a key: {names}.",
            remedy="Get a free key and set it; `lyra registries` names the setting of each.",
        )
    return no_answer_error("registry", [(one.registry, one) for one in answers])


async def read_records(run: SearchRun, graph: GraphBuilder, records: Sequence[RegistryRecord]) -> None:
    """Store each record as a page with its facts, and add it to the graph. Records cost no pages."""
    for rank, record in enumerate(records):
        stored = await _store(run, record)
        found = await run.parts.db.read(candidates.of_search, run.search.id)
        if any(one.page_id == stored.page.id and one.state is CandidateState.ABSTRACT for one in found):
            continue
        candidate = _candidate(run, record, stored.page, rank)
        await run.count_page(await graph.add_page(stored, partial(candidates.note_read, candidate=candidate)))


async def _store(run: SearchRun, record: RegistryRecord) -> StoredPage:
    document, now = record_document(record), run.parts.clock.now()
    page = page_of_record(document, record.url, record.archive, now)
    fragments = to_fragments(page.id, document)
    rows = entity_rows(record, page.id, fragments, now)
    await run.parts.db.write(_save, page, fragments, rows)
    return StoredPage(page, fragments)


def _save(connection: "Connection", page: Page, fragments: Sequence[Fragment], rows: EntityRows) -> None:
    """The page and all that its record states, in one transaction."""
    pages.save(connection, page, fragments)
    entities.save(connection, page.id, rows.entities, rows.keys, rows.facts)
    for entity in rows.entities:
        entities.forget_estimates(connection, entity.id)
        own = profile_of(*entities.get(connection, entity.id))
        for other in entities.sharing_names(connection, entity.id):
            found = same_entity(own, profile_of(*entities.get(connection, other)))
            if found.score >= _WORTH_SHOWING:
                entities.save_estimate(connection, entity.id, other, found)


def _candidate(run: SearchRun, record: RegistryRecord, page: Page, rank: int) -> Candidate:
    return Candidate(
        id=derived_id("r", run.search.id, page.url),
        search_id=run.search.id,
        url=page.url,
        title=record.title,
        snippet=record.text[:300],
        engine=record.registry,
        rank=rank,
        state=CandidateState.ABSTRACT,
        page_id=page.id,
    )
