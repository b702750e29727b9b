"""The search form on a site's page, and the results on the page it leads to. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from lyra.model.domain import SearchForm
from lyra.model.page import FetchRequest
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.engine import RUNGS
from lyra.search.normalise import Dialect
from lyra.search.reading import Found, ResultPage, is_nested_too_deeply
from lyra.search.selectors import EngineSpec, Selectors, Transport
from lyra.urls import host_of, is_web_url, is_within, joined

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


def find_form(html: str, page_url: str) -> SearchForm | None:
    """The form that searches the site, judged by what it is called; a form that asks for a password is none."""
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


def with_browser(form: SearchForm) -> SearchForm:
    """The same form, seen and asked by a browser."""
    return replace(form, needs_browser=True)


def _is_result(found: Found, domain: str, page_url: str, words: Sequence[str]) -> bool:
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
        dialect=Dialect(frozenset()),
        selectors=Selectors(),
        roots=(),
        redirects=(),
        blocked=(),
        empty=(),
        altered=(),
    )
