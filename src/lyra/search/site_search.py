"""Sites searched through their own form: an allow-list, one request at a time, two failures skip the day."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from lyra.charset import decode
from lyra.clock import Clock, day_of
from lyra.ids import new_id
from lyra.model.domain import SearchForm, SiteRecord
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.engine import RUNGS, challenge_kind
from lyra.search.engine_spec import EngineSpec, Selectors, Transport
from lyra.search.query import Operator, QueryDialect, Sign, parse_query, plain_terms
from lyra.search.result_page import PageResult, ResultPage, is_nested_too_deeply
from lyra.settings import Engines
from lyra.storage import leases, site_searches
from lyra.storage.database import Database
from lyra.text import tokens
from lyra.urls import host_of, is_web_url, is_within, joined, registrable_domain

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NAMES = frozenset(
    "q query s search keyword keywords kw word words text term terms searchword search_query searchterm ss p".split()
)
_TYPED_IN = frozenset({"search", "text", ""})
_SEARCHING = re.compile(r"search|find|query|kensaku|検索|さがす|探す|suche|recherche", re.IGNORECASE)
_NOTHING = re.compile(
    r"\bno (?:results?|matches|pages|documents|items)\b|did not match|not found|nothing (?:was )?found|\b0 results?\b|"
    r"見つかりませんでした|該当する.{0,20}(?:ありません|ございません)|一致する.{0,20}(?:ありません|なし)|(?<!\d)0 ?件|"
    r"検索結果はありません|keine (?:ergebnisse|treffer)|aucun résultat",
    re.IGNORECASE,
)
_LEAST_SCORE = 3
_MOST_RESULTS = 20
_LEASE_S = 120.0
_POLL_S = 0.5
_FAILURES = 2


def find_form(html: str, page_url: str) -> SearchForm | None:
    """The form that searches the site, chosen by its names and labels; never one that asks for a password."""
    from selectolax.lexbor import LexborHTMLParser  # lazy: a C extension that only searches need

    if is_nested_too_deeply(html):
        return None
    rated = ((_rate(form), form) for form in LexborHTMLParser(html).css("form")[:50])
    likely = ((score, form) for (score, _), form in rated if score >= _LEAST_SCORE)
    best = max(likely, key=lambda one: one[0], default=None)
    return _form(best[1], page_url) if best is not None else None


def request_for(form: SearchForm, query: str, *, cause_id: str | None = None) -> FetchRequest:
    """The request that asks the site."""
    fields = [*form.hidden, (form.parameter, query)]
    rungs = RUNGS[Transport.BROWSER if form.needs_browser else Transport.HTTP]
    if form.method == "POST":
        headers = (("content-type", "application/x-www-form-urlencoded"),)
        body = urlencode(fields).encode()
        return FetchRequest(form.action, method="POST", body=body, headers=headers, cause_id=cause_id, rungs=rungs)
    joiner = "&" if "?" in form.action else "?"
    return FetchRequest(f"{form.action}{joiner}{urlencode(fields)}", cause_id=cause_id, rungs=rungs)


def read_results(
    html: str, page_url: str, domain: str, query: str, words: Sequence[str], today: date | None = None
) -> EngineAnswer:
    """Pages of the site that its search names: entries of a list that show a word of the query."""
    engine = f"site:{domain}"
    if "<" not in html or is_nested_too_deeply(html):
        return EngineAnswer(engine, query, SearchOutcome.FAILED, reason="The site's answer is not a page.")
    page = ResultPage(html, _spec(page_url), today)
    found = [one for one in page.listed_links if _is_result(one, domain, page_url, words)]
    unique = list({one.url: one for one in found}.values())[:_MOST_RESULTS]
    if unique:
        items = (SerpItem(one.title, one.url, one.snippet, engine, rank, one.date, "site_search")
                 for rank, one in enumerate(unique, start=1))  # fmt: skip
        return EngineAnswer(engine, query, SearchOutcome.RESULTS, tuple(items))
    if _NOTHING.search(page.visible):
        return EngineAnswer(engine, query, SearchOutcome.EMPTY, reason="The site's search found nothing.")
    reason = "The site's answer shows neither results nor a sign that there are none."
    return EngineAnswer(engine, query, SearchOutcome.FAILED, reason=reason)


def _is_result(found: PageResult, domain: str, page_url: str, words: Sequence[str]) -> bool:
    shown = f"{found.title} {found.snippet}".casefold()
    is_itself = found.url.partition("?")[0] == page_url.partition("?")[0]
    return is_within(host_of(found.url), domain) and not is_itself and any(word in shown for word in words)


def _rate(form: "LexborNode") -> tuple[int, "LexborNode | None"]:
    """How much a form looks like a search, and its field."""
    if form.css_first("input[type=password]") is not None:
        return 0, None
    fields = [node for node in form.css("input") if _type(node) in _TYPED_IN and node.attributes.get("name")]
    if not fields or len(fields) > 4:
        return 0, None
    rated = [(_rate_field(node), node) for node in fields]
    score, field = max(rated, key=lambda one: one[0])
    around = " ".join(str(form.attributes.get(name) or "") for name in ("role", "action", "id", "class", "aria-label"))
    return score + (2 if _SEARCHING.search(around) else 0), field


def _rate_field(node: "LexborNode") -> int:
    attributes = node.attributes
    label = " ".join(str(attributes.get(name) or "") for name in ("placeholder", "aria-label", "title", "id"))
    score = 3 if _type(node) == "search" else 0
    score += 2 if str(attributes.get("name") or "").lower() in _NAMES else 0
    return score + (1 if _SEARCHING.search(label) else 0)


def _form(form: "LexborNode", page_url: str) -> SearchForm | None:
    _, field = _rate(form)
    action = joined(page_url, form.attributes.get("action") or "")
    # A form may only lead to the site itself: elsewhere it is somebody else's search.
    if field is None or action is None or not is_web_url(action) or host_of(action) != host_of(page_url):
        return None
    hidden = tuple(
        (str(node.attributes["name"]), str(node.attributes.get("value") or ""))
        for node in form.css("input[type=hidden]")[:20]
        if node.attributes.get("name")
    )
    method = "POST" if str(form.attributes.get("method") or "").upper() == "POST" else "GET"
    return SearchForm(action.partition("#")[0], str(field.attributes["name"]), method, hidden)


def _type(node: "LexborNode") -> str:
    return str(node.attributes.get("type") or "").lower()


def _spec(page_url: str) -> EngineSpec:
    """A site as an engine of which nothing is known."""
    return EngineSpec(
        id="site",
        address=page_url,
        parameters=(),
        method="GET",
        weight=1.0,
        transport=Transport.HTTP,
        hosts=(),
        dialect=QueryDialect(frozenset()),
        selectors=Selectors(),
        roots=(),
        redirects=(),
        blocked=(),
        empty=(),
        altered=(),
    )


class SiteSearch:
    """Asks sites of the allow-list; what a form is and how it went is remembered for all processes."""

    def __init__(self, getter: Getter, db: Database, clock: Clock, settings: Engines) -> None:
        self._getter = getter
        self._db = db
        self._clock = clock
        self._allowed = settings.site_search
        self._pause = timedelta(seconds=1 / settings.site_search_qps)

    def named_sites(self, query: str, domains: Iterable[str], hosts: Iterable[str]) -> tuple[str, ...]:
        """Hosts of the allow-list that the client named: in `site:`, as priority domains, or by a vertical."""
        included = (part for part in parse_query(query) if part.sign is not Sign.EXCLUDE)
        sites = {part.value.lower() for part in included if part.operator is Operator.SITE} | set(domains)
        wanted = set(hosts)
        return tuple(
            host for host in self._allowed if host in wanted or host in sites or registrable_domain(host) in sites
        )

    async def ask(self, host: str, query: str, *, cause_id: str | None = None) -> EngineAnswer:
        """What the site's own search finds; a site that failed twice is not asked again that day."""
        known = await self._db.read(site_searches.get, host) or SiteRecord(host, self._clock.now())
        words = plain_terms(query)
        today = day_of(self._clock.now())
        if known.skipped_on == today:
            reason = f"Its search failed {_FAILURES} times today and is not asked again today ({known.last_reason})."
            return EngineAnswer(f"site:{host}", query, SearchOutcome.BLOCKED, reason=reason)
        if not words:
            return EngineAnswer(
                f"site:{host}", query, SearchOutcome.FAILED, reason="The query has no words to ask for."
            )
        form, answer = await self._ask_with_form(host, words, known.form, cause_id)
        await self._db.write(site_searches.save, self._updated_record(known, form, answer, today))
        return replace(answer, query=query)

    async def _ask_with_form(
        self, host: str, words: str, form: SearchForm | None, cause_id: str | None
    ) -> tuple[SearchForm | None, EngineAnswer]:
        """Through the known form; else the site's first page is looked at, in a browser where plain HTML has none."""
        if form is None:
            found = await self._find(host, words, cause_id)
            if isinstance(found, EngineAnswer):
                return None, found
            form = found
        answer = await self._results(host, words, form, cause_id)
        if answer.outcome is SearchOutcome.FAILED and not form.needs_browser:
            seen = replace(form, needs_browser=True)
            again = await self._results(host, words, seen, cause_id)
            if again.outcome.is_answer:
                return seen, again
        return form, answer

    async def _find(self, host: str, words: str, cause_id: str | None) -> SearchForm | EngineAnswer:
        """The form on the site's first page, or the answer that says why there is none."""
        home, engine = f"https://{host}/", f"site:{host}"
        reason = "its first page has no search form"
        for transport in Transport:
            result = await self._get(host, FetchRequest(home, cause_id=cause_id, rungs=RUNGS[transport]))
            if result.outcome is not FetchOutcome.OK:
                reason = f"its first page could not be fetched ({result.outcome.value}: {result.reason or 'no reason'})"
                if result.outcome.is_access_denied and result.outcome is not FetchOutcome.CHALLENGE:
                    reason = f"The site cannot be searched: {reason}."
                    return EngineAnswer(engine, words, SearchOutcome.BLOCKED, reason=reason)
                continue
            html = decode(result.body, result.header("content-type"))
            form = await asyncio.to_thread(find_form, html, result.final_url or home)
            if form is not None:
                return replace(form, needs_browser=transport is Transport.BROWSER)
        return EngineAnswer(engine, words, SearchOutcome.FAILED, reason=f"The site cannot be searched: {reason}.")

    async def _results(self, host: str, words: str, form: SearchForm, cause_id: str | None) -> EngineAnswer:
        request = request_for(form, words, cause_id=cause_id)
        result = await self._get(host, request)
        engine = f"site:{host}"
        if result.outcome is not FetchOutcome.OK:
            outcome = SearchOutcome.BLOCKED if result.outcome.is_access_denied else SearchOutcome.FAILED
            reason = f"The site's search gave no page ({result.outcome.value}: {result.reason or 'no reason'})."
            kind = challenge_kind(result) if result.outcome is FetchOutcome.CHALLENGE else None
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
        await leases.wait_for(self._db, self._clock, name, use, timedelta(seconds=_LEASE_S), every_s=_POLL_S)
        try:
            return await self._getter(request)
        finally:
            await self._db.write(leases.release, name, use, self._clock.now() + self._pause)

    def _updated_record(
        self, known: SiteRecord, form: SearchForm | None, answer: EngineAnswer, today: str
    ) -> SiteRecord:
        now = self._clock.now()
        if answer.outcome.is_answer:
            return replace(
                known, updated_at=now, form=form, successes=known.successes + 1, failures_in_row=0, last_reason=None
            )
        in_row = known.failures_in_row + 1
        return replace(
            known,
            updated_at=now,
            # A form that stopped working is looked for again.
            form=form if known.form is None else None,
            failures=known.failures + 1,
            failures_in_row=in_row,
            skipped_on=today if in_row >= _FAILURES else known.skipped_on,
            last_reason=answer.reason,
        )
