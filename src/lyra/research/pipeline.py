"""One search from query to judged claims: the phases in order, and how it ends."""

from collections.abc import Sequence
from datetime import timedelta

from lyra.errors import AuthRequired, LyraError
from lyra.model.handoff import Handoff
from lyra.model.job import Job, JobState
from lyra.model.search import CandidateState, Search, SearchPhase, SearchStatus
from lyra.observe.tracing import tracer
from lyra.research.flow import note_digest
from lyra.research.graph_builder import GraphBuilder
from lyra.research.llm_claims import LlmRewriter
from lyra.research.llm_use import log_llm_use
from lyra.research.phases.archive_copies import compare_with_archive
from lyra.research.phases.discover import discover
from lyra.research.phases.fetch import fetch
from lyra.research.phases.papers import NAMED, NAMED_FOLLOWED, identify, identify_in_pages, read_papers
from lyra.research.phases.rank import rank
from lyra.research.phases.registries import ask_registries, read_records
from lyra.research.phases.revisit import revisit
from lyra.research.phases.sites import add_listed_pages
from lyra.research.recompute import reassess
from lyra.research.search_run import SearchParts, SearchRun, StopReason, count_sources, final_status, satisfaction
from lyra.search.query import recognise_target
from lyra.storage import candidates, edges, handoffs, rechecks, searches

_CLAIM_LIKE_QUERY = 0.5
_BEFORE_FETCHING = (
    SearchPhase.QUEUED,
    SearchPhase.DISCOVER,
    SearchPhase.IDENTIFY,
    SearchPhase.READ_PAPERS,
    SearchPhase.READ_RECORDS,
    SearchPhase.RANK,
)


class Pipeline:
    """Handles search jobs. Everything it does may be done again: a restart continues where the last one stopped."""

    def __init__(self, parts: SearchParts) -> None:
        self._parts = parts

    async def run(self, job: Job) -> JobState:
        """Do the search of a job; paused where no client calls any more."""
        run = await self._open(job)
        if run is None:
            return JobState.DONE
        with tracer.start_as_current_span("search", attributes={"lyra.search_id": run.search.id}):
            return await self._run(job, run)

    async def _run(self, job: Job, run: SearchRun) -> JobState:
        rewriter = LlmRewriter(run.llm, self._parts.judge, run.task.id)
        graph = GraphBuilder(self._parts, run.task.id, run.task.query, run.search.id, run.search.query, rewriter)
        # Where results are ranked, by an earlier process or before a person opened pages, only fetching is left.
        if _opened_pages(job) or has_ranked(run.search):
            await graph.load()
        else:
            await self._find(run, graph)
        stop = await self._fetch(run, graph)
        await log_llm_use(run)
        if stop is not None and stop.is_pause:
            await run.pause(stop.reason)
            return JobState.PAUSED
        await self._finish(run, graph, stop)
        return JobState.DONE

    async def failed(self, job: Job, error: LyraError) -> None:
        """Write the error where the client looks for it: on the search."""
        search = await self._parts.db.read(searches.get, str(job.payload["search_id"]))
        if search is None or search.status is not SearchStatus.RUNNING:
            return
        now = self._parts.clock.now()
        retry_at = now + timedelta(seconds=error.retry_after_s) if error.retry_after_s is not None else None
        await self._parts.db.write(
            searches.end, search.id, SearchStatus.FAILED, error.message, now, error_code=error.code, retry_at=retry_at,
            error_remedy=error.remedy, is_retryable=error.retryable,
        )  # fmt: skip

    async def _open(self, job: Job) -> SearchRun | None:
        """The search to do, or none where it has ended; one whose pages a person has opened meanwhile is continued."""
        search = await self._parts.db.read(searches.get, str(job.payload["search_id"]))
        if search is None or search.status is SearchStatus.CANCELLED:
            return None
        if search.status is not SearchStatus.RUNNING:
            is_wanted = job.payload.get("asks_again") or await self._parts.db.read(
                candidates.are_pending, _opened_pages(job)
            )
            if not is_wanted:
                return None
            search = handoffs.reopened(search)
            await self._parts.db.write(searches.save, search)
        max_pages = job.budget.get("max_pages")
        task = await self._parts.db.read(rechecks.task_with_budget, search)
        run = SearchRun(self._parts, task, search, max_pages)
        await run.load_progress(job.created_at)
        return run

    async def _fetch(self, run: SearchRun, graph: GraphBuilder) -> StopReason | None:
        await run.enter_phase(SearchPhase.FETCH)
        stop = await fetch(run, graph)
        if (stop is None or not stop.is_pause) and not run.search.options.is_local:
            await self._read_named_papers(run, graph)
            await run.enter_phase(SearchPhase.COMPARE)
            await compare_with_archive(run)
        return stop

    async def _find(self, run: SearchRun, graph: GraphBuilder) -> None:
        await run.enter_phase(SearchPhase.DISCOVER)
        records = await ask_registries(run)
        found = await discover(run)
        if run.search.options.is_local:
            await graph.load()
        else:
            await add_listed_pages(run)
            await run.enter_phase(SearchPhase.IDENTIFY)
            found += tuple(work for work in await identify(run) if work.id not in {one.id for one in found})
            await run.enter_phase(SearchPhase.READ_PAPERS)
            await graph.load()
            await read_papers(run, graph, found)
        if records:
            await run.enter_phase(SearchPhase.READ_RECORDS)
            await read_records(run, graph, records)
        await run.enter_phase(SearchPhase.RANK)
        await rank(run)
        await revisit(run)

    async def _read_named_papers(self, run: SearchRun, graph: GraphBuilder) -> None:
        """Papers that the pages read name; they cost no pages, but time."""
        if run.task.seconds_used < run.task.budget.max_seconds:
            await run.enter_phase(SearchPhase.READ_NAMED_PAPERS)
            found = await identify_in_pages(run)
            await read_papers(run, graph, found, papers_followed=NAMED_FOLLOWED, why=NAMED)

    async def _finish(self, run: SearchRun, graph: GraphBuilder, stop: StopReason | None) -> None:
        await run.enter_phase(SearchPhase.ASSESS)
        await graph.assess_all(await self._claims_to_refute(run, graph))
        await reassess(self._parts)
        await self._parts.db.write(note_digest, run.task.id, run.search.id, self._parts.clock.now())
        rows = await self._parts.db.read(edges.evidence_of_search, run.search.id)
        heard = count_sources(rows, graph.joined)
        await run.finish(
            final_status(heard.sources, has_primary=heard.has_primary, has_secondary=heard.has_secondary),
            independent_sources=heard.sources,
            has_primary_source=heard.has_primary,
            satisfaction_score=satisfaction(heard.sources, has_primary=heard.has_primary),
            reason=stop.reason if stop else await self._end_reason(run),
        )

    async def _end_reason(self, run: SearchRun) -> str:
        """Why a search that was not stopped has ended: a blocked search and an empty one are distinguished.

        Raises AuthRequired where pages refused us, wait for a person, and nothing else could be read; what broke on the
        way may wait for a person too, but is a failure.
        """
        found = await self._parts.db.read(candidates.of_search, run.search.id)
        waiting = await self._parts.db.read(handoffs.pending, run.task.id)
        walls = [one for one in waiting if run.search.id in one.blocking_searches]
        if not found:
            some = await self._parts.db.read(candidates.problems, run.search.id, 1)
            return "the sources that answered found nothing" if some else "the sources answered, and found nothing"
        is_blocked = any(one.state is CandidateState.BLOCKED for one in found)
        if walls and is_blocked and not any(one.state.is_read for one in found):
            raise _auth_required(walls, len(found))
        return summarise_candidates([one.state for one in found], len(walls))

    async def _claims_to_refute(self, run: SearchRun, graph: GraphBuilder) -> tuple[str, ...]:
        """The claims against which evidence was looked for.

        None where the client named the page, which asks no engine, or where nothing that was found could be read.
        """
        options = run.search.options
        if not options.refute or recognise_target(run.search.query) is not None:
            return ()
        found = await self._parts.db.read(candidates.of_search, run.search.id)
        if found and not any(one.state.is_read for one in found):
            return ()
        return options.claim_ids or await graph.claims_like(run.search.query, _CLAIM_LIKE_QUERY)


def has_ranked(search: Search) -> bool:
    """Whether everything before fetching is done: then a restart, or a pause, continues with fetching."""
    return search.phase not in _BEFORE_FETCHING


def summarise_candidates(states: Sequence[CandidateState], waiting: int) -> str:
    """What became of a search's results: the shares add up, followed by what waits for a person."""
    read_count = sum(state.is_read for state in states)
    abstract_count, blocked_count, failed_count = (
        states.count(state) for state in (CandidateState.SKIPPED, CandidateState.BLOCKED, CandidateState.FAILED)
    )
    shares = [f"{read_count} read"]
    shares += [f"{abstract_count} of papers read by their abstract"] if abstract_count else []
    shares += [f"{blocked_count} blocked"] if blocked_count else []
    shares += [f"{failed_count} failed"] if failed_count else []
    counts = ", ".join(shares)
    beside = f"; {waiting} wait{'s' if waiting == 1 else ''} for a person (get_auth_queue)" if waiting else ""
    return f"all {len(states)} results were worked through: {counts}{beside}"


def _auth_required(walls: Sequence[Handoff], found: int) -> AuthRequired:
    """The error of a search in which every page refused."""
    domains = ", ".join(sorted({one.domain for one in walls}))
    return AuthRequired(f"None of {found} results could be read; a person is needed for {len(walls)} ({domains}).")


def _opened_pages(job: Job) -> tuple[str, ...]:
    """Candidates whose pages a person has opened: the search continues with them."""
    return tuple(job.payload.get("candidate_ids", ()))
