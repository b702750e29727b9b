"""One search from query to judged claims: the phases in order, and how it ends."""

from datetime import timedelta

from lyra.errors import LyraError
from lyra.evidence.independence import speaking_sources
from lyra.model.job import Job, JobState
from lyra.model.search import CandidateState, SearchStatus
from lyra.research.digest import Digest
from lyra.research.harvest import final_status, satisfaction
from lyra.research.kit import Kit
from lyra.research.phases.discover import discover
from lyra.research.phases.fetch import fetch
from lyra.research.phases.identify import identify
from lyra.research.phases.papers import read_papers
from lyra.research.phases.rank import rank
from lyra.research.run import SearchRun, Stop
from lyra.storage import candidates, edges, searches, tasks

_CLAIM_LIKE_QUERY = 0.5


class Pipeline:
    """Handles search jobs. Everything it does may be done again: a restart goes on where the last one stopped."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def run(self, job: Job) -> JobState:
        """Do the search of a job; paused where nobody listens any more."""
        run = await self._open(job)
        if run is None:
            return JobState.DONE
        digest = Digest(self._kit, run.task.id, run.task.query, run.search.id, run.search.query)
        stop = await self._phases(run, digest)
        if stop is not None and stop.is_pause:
            await run.pause(stop.reason)
            return JobState.PAUSED
        await self._finish(run, digest, stop)
        return JobState.DONE

    async def failed(self, job: Job, error: LyraError) -> None:
        """Write the error where the client looks for it: on the search."""
        search = await self._kit.db.read(searches.get, str(job.payload["search_id"]))
        if search is None or search.status is not SearchStatus.RUNNING:
            return
        now = self._kit.clock.now()
        retry_at = now + timedelta(seconds=error.retry_after_s) if error.retry_after_s is not None else None
        await self._kit.db.write(
            searches.end, search.id, SearchStatus.FAILED, error.message, now, error_code=error.code, retry_at=retry_at
        )

    async def _open(self, job: Job) -> SearchRun | None:
        search = await self._kit.db.read(searches.get, str(job.payload["search_id"]))
        if search is None or search.status is not SearchStatus.RUNNING:
            return None
        return SearchRun(self._kit, await self._kit.db.read(tasks.get, search.task_id), search)

    async def _phases(self, run: SearchRun, digest: Digest) -> Stop | None:
        await run.enter("discover")
        found = await discover(self._kit, run)
        await run.enter("identify")
        found += tuple(work for work in await identify(self._kit, run) if work.id not in {one.id for one in found})
        await run.enter("read papers")
        await digest.load()
        await read_papers(self._kit, run, digest, found)
        await run.enter("rank")
        await rank(self._kit, run)
        await run.enter("fetch")
        return await fetch(self._kit, run, digest)

    async def _finish(self, run: SearchRun, digest: Digest, stop: Stop | None) -> None:
        await run.enter("assess")
        await digest.assess_all(await self._refute_concerns(run, digest))
        rows = await self._kit.db.read(edges.evidence_of_search, run.search.id)
        independent = len(speaking_sources(rows, digest.joined))
        has_primary = any(row.source_trust_level.is_high for row in rows)
        has_secondary = any(not row.source_trust_level.is_high for row in rows)
        await run.finish(
            final_status(independent, has_primary=has_primary, has_secondary=has_secondary),
            independent_sources=independent,
            has_primary_source=has_primary,
            satisfaction_score=satisfaction(independent, has_primary=has_primary),
            reason=stop.reason if stop else await self._why(run),
        )

    async def _why(self, run: SearchRun) -> str:
        """Why a search that was not stopped has ended: a blocked search and an empty one are told apart."""
        found = await self._kit.db.read(candidates.of_search, run.search.id)
        read = sum(1 for one in found if one.state.is_read)
        blocked = sum(1 for one in found if one.state is CandidateState.BLOCKED)
        failed = sum(1 for one in found if one.state is CandidateState.FAILED)
        if not found:
            some = await self._kit.db.read(candidates.problems, run.search.id, 1)
            return "the sources that answered found nothing" if some else "the sources answered, and found nothing"
        parts = [f"all {len(found)} results were worked through: {read} read"]
        parts += [f"{blocked} blocked"] if blocked else []
        parts += [f"{failed} failed"] if failed else []
        return ", ".join(parts)

    async def _refute_concerns(self, run: SearchRun, digest: Digest) -> tuple[str, ...]:
        options = run.search.options
        if not options.refute:
            return ()
        return options.claim_ids or await digest.claims_like(run.search.query, _CLAIM_LIKE_QUERY)
