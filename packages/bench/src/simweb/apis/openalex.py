"""OpenAlex's works (api.openalex.org)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from simweb.apis.answers import bounded, json_response
from simweb.apis.openalex_work import short_id, work
from simweb.apis.papers import Papers
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.model import Paper

HOSTS = ("api.openalex.org",)

_NOT_FOUND = (
    "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
    "<p>The requested URL was not found on the server. If you entered the URL manually please check your "
    "spelling and try again.</p>\n"
)


class UnknownFilterError(Exception):
    """A filter that this service does not offer."""


class OpenAlex(PlainHost):
    """Lists of works by search and filter, and single works by any identifier."""

    def __init__(self, papers: Papers) -> None:
        self._papers = papers

    def answer(self, request: Request) -> Response:
        path = unquote(request.path)
        parameters = request.parameters()
        if path in ("/works", "/works/"):
            try:
                return self._list(parameters)
            except UnknownFilterError as exc:
                message = f"{exc} is not a valid field."
                return json_response({"error": "Invalid query parameters error.", "message": message}, 403)
        if not path.startswith("/works/"):
            return Response.html(_NOT_FOUND, 404)
        paper = self._find(path.removeprefix("/works/"))
        if paper is None:
            return Response.html(_NOT_FOUND, 404)
        return json_response(_select(work(paper, self._papers), parameters))

    def refuse(self, request: Request, status: int) -> Response:
        if status == 429:
            return json_response({"error": "Too many requests", "message": "Rate limit exceeded."}, 429)
        return super().refuse(request, status)

    def _list(self, parameters: Mapping[str, str]) -> Response:
        filters = dict(item.partition(":")[::2] for item in parameters.get("filter", "").split(",") if item)
        texts = [filters.pop(name) for name in _SEARCH_FILTERS if name in filters]
        query = " ".join(filter(None, [parameters.get("search", ""), *texts]))
        found = self._papers.search(query) if query else list(self._papers)
        for name, value in filters.items():
            found = [paper for paper in found if self._admits(paper, name, value)]
        if parameters.get("sort", "").startswith("cited_by_count"):
            found.sort(key=self._papers.citation_count, reverse=True)
        page = bounded(parameters.get("page"), 1, 1, 10_000)
        per_page = bounded(parameters.get("per-page", parameters.get("per_page")), 25, 1, 200)
        shown = found[(page - 1) * per_page : page * per_page]
        results = [_select(work(paper, self._papers), parameters) for paper in shown]
        if query:
            results = [{**result, "relevance_score": _relevance(n)} for n, result in enumerate(results)]
        meta = {"count": len(found), "db_response_time_ms": 12, "page": page, "per_page": per_page}
        return json_response({"meta": meta | {"groups_count": None}, "results": results, "group_by": []})

    def _admits(self, paper: Paper, name: str, value: str) -> bool:
        """Whether a paper passes a filter; alternatives are parted by `|`."""
        if name not in _FILTERS and name not in ("cites", "cited_by"):
            raise UnknownFilterError(name)
        wanted = {_bare(item) for item in value.split("|")}
        if name == "cites":
            return bool(wanted & {short_id(other).lower() for other in self._papers.references(paper)})
        if name == "cited_by":
            return bool(wanted & {short_id(other).lower() for other in self._papers.citations(paper)})
        return _FILTERS[name](paper) in wanted

    def _find(self, identifier: str) -> Paper | None:
        if identifier.startswith("pmid:") or "pubmed.ncbi" in identifier:
            return self._papers.find(lambda paper: paper.pmid == _bare(identifier) != "")
        if identifier.startswith("doi:") or "doi.org/" in identifier:
            return self._papers.find(lambda paper: paper.doi.lower() == _bare(identifier) != "")
        return self._papers.find(lambda paper: short_id(paper).lower() == _bare(identifier))


_SEARCH_FILTERS = ("default.search", "title.search", "abstract.search", "title_and_abstract.search")
_FILTERS: Mapping[str, Callable[[Paper], str]] = {
    "openalex": lambda paper: short_id(paper).lower(),
    "openalex_id": lambda paper: short_id(paper).lower(),
    "ids.openalex": lambda paper: short_id(paper).lower(),
    "doi": lambda paper: paper.doi.lower(),
    "pmid": lambda paper: paper.pmid,
    "ids.pmid": lambda paper: paper.pmid,
    "publication_year": lambda paper: str(paper.year),
    "language": lambda paper: paper.language,
    "is_retracted": lambda paper: str(paper.is_retracted).lower(),
    "has_abstract": lambda paper: str(bool(paper.abstract)).lower(),
    "type": lambda paper: paper.kind,
}


def _bare(identifier: str) -> str:
    """An identifier without scheme or resolver, lower case."""
    text = identifier.strip().lower()
    for prefix in ("doi:", "pmid:", "https://doi.org/", "https://pubmed.ncbi.nlm.nih.gov/", "https://openalex.org/"):
        text = text.removeprefix(prefix)
    return text.rstrip("/")


def _select(record: dict[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    wanted = [name.strip() for name in parameters.get("select", "").split(",") if name.strip()]
    return {name: record[name] for name in wanted if name in record} if wanted else record


def _relevance(rank: int) -> float:
    return round(900 / math.log2(rank + 2), 4)
