"""Wikidata's query service, DBpedia's lookup, and Google's Fact Check Tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from simweb.apis.answers import json_response
from simweb.apis.registries import checking
from simweb.apis.registries.checking import RefusedError
from simweb.apis.registries.holdings import KEYS, Held, holds, organisation, words_of
from simweb.hosts import Host, PlainHost
from simweb.messages import Request, Response

_SHAPE = re.compile(
    r"SELECT \?item \?itemLabel \?itemDescription \?property \?value \?valueLabel WHERE \{ "
    r"\{ SELECT DISTINCT \?item WHERE \{ (?P<which>.+) \} LIMIT (?P<limit>\d+) \} "
    r"VALUES \?property \{ (?P<properties>wdt:P\d+(?: wdt:P\d+)*) \} \?item \?property \?value \. "
    r'SERVICE wikibase:label \{ bd:serviceParam wikibase:language "(?P<languages>[a-z,]+)" \. \} \} LIMIT \d+'
)
_BY_NUMBER = re.compile(r'\?item wdt:(?P<property>P\d+) (?P<value>"[^"]+") \.')
_BY_NAME = re.compile(
    r'SERVICE wikibase:mwapi \{ bd:serviceParam wikibase:endpoint "www\.wikidata\.org" ; wikibase:api "EntitySearch" ; '
    r'mwapi:search (?P<words>".+") ; mwapi:language "(?P<language>[a-z]+)" \. '
    r"\?item wikibase:apiOutputItem mwapi:item \. \}"
)
_ENTITY = "http://www.wikidata.org/entity/"
_PROPERTY = "http://www.wikidata.org/prop/direct/"


def hosts(held: Held) -> dict[str, Host]:
    return {
        "query.wikidata.org": WikidataQuery(held),
        "lookup.dbpedia.org": DBpediaLookup(held),
        "factchecktools.googleapis.com": FactCheckTools(held),
    }


class WikidataQuery(PlainHost):
    """Takes the questions that Lyra asks and no other SPARQL; anything else is malformed."""

    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        try:
            checking.accepts(request, "application/sparql-results+json")
            query = checking.parameters(request, {"query", "format"})["query"]
            shape = _SHAPE.fullmatch(query)
            if request.path != "/sparql" or shape is None:
                raise RefusedError("MalformedQueryException")
            found = self._find(shape["which"])[: int(shape["limit"])]
        except RefusedError as exc:
            return Response.text(f"SPARQL-QUERY: {exc}\n", exc.status)
        language = shape["languages"].split(",")[0]
        wanted = [name.removeprefix("wdt:") for name in shape["properties"].split()]
        rows = [row for one in found for row in self._rows(one, wanted, language)]
        names = ["item", "itemLabel", "itemDescription", "property", "value", "valueLabel"]
        return json_response({"head": {"vars": names}, "results": {"bindings": rows}})

    def _find(self, which: str) -> list[Held]:
        by_number, by_name = _BY_NUMBER.fullmatch(which), _BY_NAME.fullmatch(which)
        if by_number is not None:
            field = {"P1278": "lei", "P3225": "corporate_number"}[by_number["property"]]
            return [one for one in self._held["organisations"] if one.get(field) == json.loads(by_number["value"])]
        if by_name is None:
            raise RefusedError("MalformedQueryException")
        words = words_of(json.loads(by_name["words"]))
        field = "name_ja" if by_name["language"] == "ja" else "name_en"
        return [one for one in self._held["organisations"] if holds(words, one[field])]

    def _rows(self, one: Held, wanted: list[str], language: str) -> Iterator[dict[str, Any]]:
        label = {"type": "literal", "xml:lang": language, "value": one[f"name_{language}"]}
        about = {"type": "literal", "xml:lang": language, "value": one[f"description_{language}"]}
        item = {"type": "uri", "value": f"{_ENTITY}{one['qid']}"}
        for name in wanted:
            for value, shown in self._values(one, name, language):
                yield {
                    "item": item, "itemLabel": label, "itemDescription": about,
                    "property": {"type": "uri", "value": f"{_PROPERTY}{name}"},
                    "value": value, "valueLabel": {"type": "literal", "value": shown},
                }  # fmt: skip

    def _values(self, one: Held, name: str, language: str) -> Iterator[tuple[dict[str, str], str]]:
        linked = {
            "P17": [one["country"]],
            "P159": [one["headquarters"]],
            "P169": [one["chief_executive"]],
            "P355": [organisation(self._held, qid) for qid in one.get("subsidiaries", ())],
            "P749": [organisation(self._held, one["parent"])] if "parent" in one else [],
        }
        for entity in linked.get(name, ()):
            yield {"type": "uri", "value": f"{_ENTITY}{entity['qid']}"}, entity[f"name_{language}"]
        literals = {"P571": f"{one['founded']}T00:00:00Z", "P1128": str(one["employees"]), "P856": one["website"]}
        literals |= {"P1278": one.get("lei"), "P3225": one["corporate_number"]}
        if value := literals.get(name):
            yield {"type": "literal", "value": value}, value


class DBpediaLookup(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        try:
            asked = checking.parameters(request, {"query", "format"}, {"maxResults"})
            most = checking.limit(asked.get("maxResults", "10"), 1_000)
            if request.path != "/api/search" or asked["format"] != "JSON":
                raise RefusedError("not found", 404)
        except RefusedError as exc:
            return json_response({"error": str(exc)}, exc.status)
        words = words_of(asked["query"])
        found = [one for one in self._held["organisations"] if holds(words, one["name_en"], one["comment_en"])]
        return json_response({"docs": [_lookup_entry(one) for one in found[:most]]})


def _lookup_entry(one: Held) -> dict[str, list[str]]:
    resource = f"http://dbpedia.org/resource/{one['name_en'].replace(' ', '_')}"
    return {
        "score": ["3542.1"], "refCount": ["12"], "resource": [resource], "label": [f"<B>{one['name_en']}</B>"],
        "comment": [one["comment_en"]], "typeName": list(one["types"]),
        "type": [f"http://dbpedia.org/ontology/{name}" for name in one["types"]],
    }  # fmt: skip


class FactCheckTools(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        try:
            checking.require_header(request, "x-goog-api-key", KEYS["factcheck"], 403)
            asked = checking.parameters(request, {"query"}, {"languageCode", "pageSize"})
            most = checking.limit(asked.get("pageSize", "10"), 100)
            if request.path != "/v1alpha1/claims:search":
                raise RefusedError("not found", 404)
        except RefusedError as exc:
            return json_response({"error": {"code": exc.status, "message": str(exc)}}, exc.status)
        words = words_of(asked["query"])
        found = [_claim(one) for one in self._held["fact_checks"] if holds(words, one["text"])]
        return json_response({"claims": found[:most]} if found else {})


def _claim(one: Held) -> dict[str, Any]:
    reviews = [
        {
            "publisher": {"name": review["publisher"], "site": review["site"]},
            "url": review["url"],
            "title": review["title"],
            "reviewDate": review["date"],
            "textualRating": review["rating"],
            "languageCode": review["language"],
        }
        for review in one["reviews"]
    ]
    return {"text": one["text"], "claimant": one["claimant"], "claimDate": one["date"], "claimReview": reviews}
