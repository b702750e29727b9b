"""Sites searched through their own form: an allow-list, one slow request at a time, two failures skip the day."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from lyra.charset import decode
from lyra.clock import Clock, day_of
from lyra.ids import new_id
from lyra.model.domain import SearchForm, SiteRecord
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.search.asking import wall_kind
from lyra.search.engine import RUNGS
from lyra.search.forms import find_form, read_results, request_for, with_browser
from lyra.search.normalise import Operator, Sign, parse, said
from lyra.search.selectors import Transport
from lyra.settings import Engines
from lyra.storage import leases, site_searches
from lyra.storage.database import Database
from lyra.text import tokens
from lyra.urls import registrable_domain

_LEASE_S = 120.0
_POLL_S = 0.5
_FAILURES = 2


class SiteSearch:
    """Asks sites of the allow-list; what a form is and how it went is remembered for all processes."""

    def __init__(self, getter: Getter, db: Database, clock: Clock, settings: Engines) -> None:
        self._getter = getter
        self._db = db
        self._clock = clock
        self._allowed = settings.site_search
        self._pause = timedelta(seconds=1 / settings.site_search_qps)

    def named(self, query: str, domains: Iterable[str], hosts: Iterable[str]) -> tuple[str, ...]:
        """Hosts of the allow-list that the client named: in `site:`, as priority domains, or by a vertical."""
        sites = {part.value.lower() for part in parse(query) if _is_site(part.operator, part.sign)} | set(domains)
        wanted = set(hosts)
        return tuple(
            host for host in self._allowed if host in wanted or host in sites or registrable_domain(host) in sites
        )

    async def ask(self, host: str, query: str, *, cause_id: str | None = None) -> EngineAnswer:
        """What the site's own search finds; a site that failed twice is left alone for the day."""
        known = await self._db.read(site_searches.get, host) or SiteRecord(host, self._clock.now())
        words = said(query)
        today = day_of(self._clock.now())
        if known.skipped_on == today:
            reason = f"Its search failed {_FAILURES} times today and is left alone ({known.last_reason})."
            return EngineAnswer(f"site:{host}", query, SearchOutcome.BLOCKED, reason=reason)
        if not words:
            return EngineAnswer(
                f"site:{host}", query, SearchOutcome.FAILED, reason="The query has no words to ask for."
            )
        form, answer = await self._asked(host, words, known.form, cause_id)
        await self._db.write(site_searches.save, self._learnt(known, form, answer, today))
        return replace(answer, query=query)

    async def _asked(
        self, host: str, words: str, form: SearchForm | None, cause_id: str | None
    ) -> tuple[SearchForm | None, EngineAnswer]:
        """Through the known form; else the site's first page is looked at, in a browser where plain HTML has none."""
        if form is None:
            form, trouble = await self._find(host, cause_id)
            if form is None:
                return None, EngineAnswer(f"site:{host}", words, *trouble)
        answer = await self._results(host, words, form, cause_id)
        if answer.outcome is SearchOutcome.FAILED and not form.needs_browser:
            seen = with_browser(form)
            again = await self._results(host, words, seen, cause_id)
            if again.outcome.is_answer:
                return seen, again
        return form, answer

    async def _find(
        self, host: str, cause_id: str | None
    ) -> tuple[SearchForm | None, tuple[SearchOutcome, tuple[()], str]]:
        home = f"https://{host}/"
        reason = "its first page has no search form"
        for transport in Transport:
            result = await self._get(host, FetchRequest(home, cause_id=cause_id, rungs=RUNGS[transport]))
            if result.outcome is not FetchOutcome.OK:
                reason = f"its first page was not to be had ({result.outcome.value}: {result.reason or 'no reason'})"
                if result.outcome.is_access_denied and result.outcome is not FetchOutcome.CHALLENGE:
                    return None, (SearchOutcome.BLOCKED, (), f"The site cannot be searched: {reason}.")
                continue
            html = decode(result.body, result.header("content-type"))
            form = await asyncio.to_thread(find_form, html, result.final_url or home)
            if form is not None:
                seen = with_browser(form) if transport is Transport.BROWSER else form
                return seen, (SearchOutcome.RESULTS, (), "")
        return None, (SearchOutcome.FAILED, (), f"The site cannot be searched: {reason}.")

    async def _results(self, host: str, words: str, form: SearchForm, cause_id: str | None) -> EngineAnswer:
        request = request_for(form, words, cause_id=cause_id)
        result = await self._get(host, request)
        engine = f"site:{host}"
        if result.outcome is not FetchOutcome.OK:
            outcome = SearchOutcome.BLOCKED if result.outcome.is_access_denied else SearchOutcome.FAILED
            reason = f"The site's search gave no page ({result.outcome.value}: {result.reason or 'no reason'})."
            kind = wall_kind(result) if result.outcome is FetchOutcome.CHALLENGE else None
            return EngineAnswer(engine, words, outcome, reason=reason, challenge=kind, url=request.url)
        html = decode(result.body, result.header("content-type"))
        today = self._clock.now().date()
        url = result.final_url or request.url
        answer = await asyncio.to_thread(read_results, html, url, host, words, tokens(words), today)
        record_id = result.archive.record_id if result.archive else None
        return replace(answer, url=request.url, record_id=record_id)

    async def _get(self, host: str, request: FetchRequest) -> FetchResult:
        """One request at a time to a site's search, over all processes, and a pause of 1/QPS after each."""
        name, use = f"site:{host}", new_id("u")
        while True:
            now = self._clock.now()
            is_taken, _ = await self._db.write(leases.acquire, name, use, now, now + timedelta(seconds=_LEASE_S))
            if is_taken:
                break
            await self._clock.sleep(_POLL_S)
        try:
            return await self._getter(request)
        finally:
            await self._db.write(leases.release, name, use, self._clock.now() + self._pause)

    def _learnt(self, known: SiteRecord, form: SearchForm | None, answer: EngineAnswer, today: str) -> SiteRecord:
        now = self._clock.now()
        if answer.outcome.is_answer:
            return replace(
                known, updated_at=now, form=form, successes=known.successes + 1, failures_in_row=0, last_reason=None
            )
        in_row = known.failures_in_row + 1
        return replace(
            known,
            updated_at=now,
            # A form that stopped working is looked for anew.
            form=form if known.form is None else None,
            failures=known.failures + 1,
            failures_in_row=in_row,
            skipped_on=today if in_row >= _FAILURES else known.skipped_on,
            last_reason=answer.reason,
        )


def _is_site(operator: Operator, sign: Sign) -> bool:
    return operator is Operator.SITE and sign is not Sign.EXCLUDE
