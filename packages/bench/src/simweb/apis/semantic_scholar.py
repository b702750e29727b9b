"""Semantic Scholar's graph API (api.semanticscholar.org/graph/v1)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from simweb.apis.answers import bounded, json_response
from simweb.apis.papers import Papers, number_of
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.model import Paper

HOSTS = ("api.semanticscholar.org",)

_PREFIX = "/graph/v1/paper/"
_EDGE_FIELDS = ("contexts", "intents", "isInfluential", "contextsWithIntent")
_PAPER_FIELDS = frozenset(
    "paperId corpusId externalIds url title abstract venue publicationVenue year referenceCount citationCount "
    "influentialCitationCount isOpenAccess openAccessPdf fieldsOfStudy s2FieldsOfStudy publicationTypes "
    "publicationDate journal citationStyles authors citations references tldr embedding".split()
)
_RATE_LIMITED = {
    "message": "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. "
    "https://www.semanticscholar.org/product/api#api-key-form",
    "code": "429",
}


class SemanticScholar(PlainHost):
    """Search, single papers, batches, references and citations, with `fields`, `offset` and `limit`."""

    def __init__(self, papers: Papers) -> None:
        self._papers = papers

    def answer(self, request: Request) -> Response:
        path = unquote(request.path)
        parameters = request.parameters()
        fields = _fields(parameters.get("fields", "title"))
        unknown = sorted(_unknown(fields))
        if not path.startswith(_PREFIX):
            return json_response({"message": "Not Found"}, 404)
        if unknown:
            return _error(400, f"Unrecognized or unsupported fields: [{', '.join(unknown)}]")
        rest = path.removeprefix(_PREFIX)
        if rest == "search":
            return self._search(parameters, fields)
        if rest == "batch":
            return self._batch(request, fields)
        return self._one(rest, parameters, fields)

    def refuse(self, request: Request, status: int) -> Response:
        if status == 429:
            return json_response(_RATE_LIMITED, 429)
        return json_response({"message": "Internal Server Error" if status >= 500 else "Forbidden"}, status)

    def _search(self, parameters: Mapping[str, str], fields: list[str]) -> Response:
        if not parameters.get("query", "").strip():
            return _error(400, "Missing required parameter: 'query'")
        found = [p for p in self._papers.search(parameters["query"]) if _in_years(p, parameters.get("year", ""))]
        offset = bounded(parameters.get("offset"), 0, 0, 9_999)
        limit = bounded(parameters.get("limit"), 100, 1, 100)
        answer: dict[str, Any] = {"total": len(found), "offset": offset}
        if offset + limit < len(found):
            answer["next"] = offset + limit
        if found:
            answer["data"] = [self._record(paper, fields) for paper in found[offset : offset + limit]]
        return json_response(answer)

    def _batch(self, request: Request, fields: list[str]) -> Response:
        try:
            ids = json.loads(request.body or b"{}")["ids"]
        except (ValueError, KeyError, TypeError):
            return _error(400, "Missing required field: 'ids'")
        papers = [self._find(str(item)) for item in ids]
        return json_response([self._record(paper, fields) if paper else None for paper in papers])

    def _one(self, rest: str, parameters: Mapping[str, str], fields: list[str]) -> Response:
        identifier, _, edge = rest.rpartition("/") if rest.endswith(("/references", "/citations")) else (rest, "", "")
        paper = self._find(identifier)
        if paper is None:
            return _error(404, f"Paper with id {identifier} not found")
        if not edge:
            return json_response(self._record(paper, fields))
        offset = bounded(parameters.get("offset"), 0, 0, 9_999)
        limit = bounded(parameters.get("limit"), 100, 1, 1_000)
        edges = self._edges(paper, edge, fields)
        answer: dict[str, Any] = {"offset": offset}
        if offset + limit < len(edges):
            answer["next"] = offset + limit
        return json_response(answer | {"data": edges[offset : offset + limit]})

    def _edges(self, paper: Paper, edge: str, fields: list[str]) -> list[dict[str, Any]]:
        if edge == "references":
            pairs = [(paper, other) for other in self._papers.references(paper)]
            return [
                _edge(citing, cited, fields) | {"citedPaper": self._record(cited, fields)} for citing, cited in pairs
            ]
        citing_papers = self._papers.citations(paper)
        return [_edge(other, paper, fields) | {"citingPaper": self._record(other, fields)} for other in citing_papers]

    def _find(self, identifier: str) -> Paper | None:
        kind, _, value = identifier.partition(":")
        match kind.upper():
            case "DOI":
                return self._papers.find(lambda paper: paper.doi.lower() == value.lower() != "")
            case "PMID":
                return self._papers.find(lambda paper: paper.pmid == value != "")
            case "ARXIV":
                bare = re.sub(r"v\d+$", "", value)
                return self._papers.find(lambda paper: paper.arxiv == bare != "")
            case "CORPUSID":
                return self._papers.find(lambda paper: str(corpus_id(paper)) == value)
            case _:
                return self._papers.find(lambda paper: identifier in (paper_id(paper), paper.doi))

    def _record(self, paper: Paper, fields: list[str]) -> dict[str, Any]:
        """The wanted fields of a paper; its id is always among them."""
        wanted = {field.split(".", 1)[0] for field in fields}
        record: dict[str, Any] = {"paperId": paper_id(paper)}
        record |= {name: value for name, value in self._everything(paper).items() if name in wanted}
        for name, others in (("citations", self._papers.citations), ("references", self._papers.references)):
            if name in wanted:
                nested = [field.split(".", 1)[1] for field in fields if field.startswith(f"{name}.")]
                record[name] = [self._record(other, nested or ["title"]) for other in others(paper)]
        return record

    def _everything(self, paper: Paper) -> dict[str, Any]:
        preprint = self._papers.preprint_of(paper)
        external = {
            "ArXiv": paper.arxiv or (preprint.arxiv if preprint else ""),
            "DOI": paper.doi,
            "PubMed": paper.pmid,
            "CorpusId": corpus_id(paper),
        }
        return {
            "corpusId": corpus_id(paper),
            "externalIds": {name: value for name, value in external.items() if value},
            "url": f"https://www.semanticscholar.org/paper/{paper_id(paper)}",
            "title": paper.title,
            "abstract": paper.abstract or None,
            "venue": paper.venue,
            "publicationVenue": None,
            "year": paper.year,
            "referenceCount": len(paper.references),
            "citationCount": self._papers.citation_count(paper),
            "influentialCitationCount": self._papers.influential_count(paper),
            "isOpenAccess": False,
            "openAccessPdf": None,
            "fieldsOfStudy": ["Medicine"],
            "s2FieldsOfStudy": [{"category": "Medicine", "source": "external"}],
            "publicationTypes": ["Editorial"] if paper.kind == "editorial" else ["JournalArticle"],
            "publicationDate": paper.date.isoformat(),
            "journal": {"name": paper.venue, "pages": None, "volume": None},
            "citationStyles": {"bibtex": _bibtex(paper)},
            "authors": [{"authorId": str(number_of(name, 8)), "name": name} for name in paper.authors],
            "tldr": None,
            "embedding": None,
        }


def paper_id(paper: Paper) -> str:
    return hashlib.sha1(f"paper {paper.id}".encode(), usedforsecurity=False).hexdigest()


def corpus_id(paper: Paper) -> int:
    return 200_000_000 + number_of(paper.id, 7)


def _fields(text: str) -> list[str]:
    return [field.strip() for field in text.split(",") if field.strip()]


def _unknown(fields: Iterable[str]) -> set[str]:
    known = {*_PAPER_FIELDS, *_EDGE_FIELDS}
    bare = {field.removeprefix("citedPaper.").removeprefix("citingPaper.") for field in fields}
    return {field for field in bare if field.split(".", 1)[0] not in known}


def _edge(citing: Paper, cited: Paper, fields: list[str]) -> dict[str, Any]:
    is_influential = cited.id in citing.influential
    values: dict[str, Any] = {
        "contexts": [],
        "intents": ["result", "background"] if is_influential else ["background"],
        "isInfluential": is_influential,
        "contextsWithIntent": [],
    }
    return {name: values[name] for name in _EDGE_FIELDS if name in fields}


def _in_years(paper: Paper, years: str) -> bool:
    first, dash, last = years.partition("-")
    earliest = int(first) if first.isdigit() else 0
    latest = int(last) if last.isdigit() else (9_999 if dash or not first else earliest)
    return earliest <= paper.year <= latest


def _bibtex(paper: Paper) -> str:
    authors = " and ".join(paper.authors)
    return (
        f"@Article{{{paper.id},\n author = {{{authors}}},\n journal = {{{paper.venue}}},\n"
        f" title = {{{paper.title}}},\n year = {{{paper.year}}}\n}}\n"
    )


def _error(status: int, message: str) -> Response:
    return json_response({"error": message}, status)
