"""Patents: EPO's Open Patent Services with their log-in, and USPTO's trials."""

from __future__ import annotations

import base64
import re
from typing import Any

from simweb.apis.answers import json_response
from simweb.apis.registries import checking
from simweb.apis.registries.checking import RefusedError
from simweb.apis.registries.holdings import KEYS, Held, holds, words_of
from simweb.hosts import Host, PlainHost
from simweb.messages import Request, Response

TOKEN = "simulated-epo-access-token"
_CQL = re.compile(r'ta="[^"]+"(?: and ta="[^"]+")*')


def hosts(held: Held) -> dict[str, Host]:
    return {"ops.epo.org": Ops(held), "api.uspto.gov": Uspto(held)}


class Ops(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        try:
            if request.path == "/3.2/auth/accesstoken":
                return _log_in(request)
            if request.path != "/3.2/rest-services/published-data/search/biblio":
                raise RefusedError("not found", 404)
            checking.require_header(request, "authorization", f"Bearer {TOKEN}", 400)
            checking.accepts(request, "application/json")
            asked = checking.parameters(request, {"q"}, {"Range"})
            if not _CQL.fullmatch(asked["q"]) or not re.fullmatch(r"1-\d{1,3}", asked.get("Range", "1-25")):
                raise RefusedError("CLIENT.CQL", 400)
        except RefusedError as exc:
            return Response.text(f"<fault><code>{exc}</code></fault>", exc.status, "application/xml")
        words = re.findall(r'ta="([^"]+)"', asked["q"])
        found = [one for one in self._held["patents"] if holds(words, one["title"], one["abstract"])]
        if not found:
            return Response.text("<fault><code>SERVER.EntityNotFound</code></fault>", 404, "application/xml")
        documents = [{"exchange-document": _document(one)} for one in found]
        # One document stands for itself; only several are a list.
        result = {"exchange-documents": documents[0] if len(documents) == 1 else documents}
        search = {"@total-result-count": str(len(found)), "ops:search-result": result}
        return json_response({"ops:world-patent-data": {"ops:biblio-search": search}})


def _log_in(request: Request) -> Response:
    login = base64.b64encode(f"{KEYS['epo']}:{KEYS['epo_secret']}".encode()).decode()
    if request.method != "POST" or request.parameters() != {"grant_type": "client_credentials"}:
        raise RefusedError("invalid_request")
    checking.require_header(request, "authorization", f"Basic {login}")
    return json_response({"access_token": TOKEN, "token_type": "BearerToken", "expires_in": "1199"})


def _document(one: Held) -> dict[str, Any]:
    number = {"country": {"$": one["country"]}, "doc-number": {"$": one["number"]}, "kind": {"$": one["kind"]}}
    return {
        "@country": one["country"], "@doc-number": one["number"], "@kind": one["kind"], "@family-id": "90000001",
        "bibliographic-data": {
            "publication-reference": {
                "document-id": [{"@document-id-type": "docdb", **number, "date": {"$": one["date"]}}]
            },
            "invention-title": [{"@lang": "de", "$": "Lager"}, {"@lang": "en", "$": one["title"]}],
            "parties": {
                "applicants": {"applicant": _parties("applicant", one["applicants"])},
                "inventors": {"inventor": _parties("inventor", one["inventors"])},
            },
        },
        "abstract": {"@lang": "en", "p": {"$": one["abstract"]}},
    }  # fmt: skip


def _parties(role: str, names: list[str]) -> list[dict[str, Any]]:
    """Each party in two spellings, as the service has them."""
    return [
        {"@sequence": "1", "@data-format": form, f"{role}-name": {"name": {"$": shown}}}
        for name in names
        for form, shown in (("epodoc", f"{name} [JP]"), ("original", name.title()))
    ]


class Uspto(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        if request.path != "/api/v1/patent/trials/proceedings/search":
            return json_response({"code": 404, "error": "Not Found"}, 404)
        try:
            checking.require_header(request, "x-api-key", KEYS["uspto"], 403)
            asked = checking.parameters(request, {"q"}, {"limit", "offset"})
            most = checking.limit(asked.get("limit", "25"), 100)
        except RefusedError as exc:
            return json_response({"code": exc.status, "error": str(exc)}, exc.status)
        words = words_of(asked["q"])
        found = [one for one in self._held["trials"] if holds(words, one["words"], one["number"])]
        if not found:
            return json_response({"code": 404, "error": "Not Found", "errorDetails": "No matching records found"}, 404)
        return json_response(
            {"count": len(found), "patentTrialProceedingDataBag": [_trial(one) for one in found[:most]]}
        )


def _trial(one: Held) -> dict[str, Any]:
    return {
        "trialNumber": one["number"],
        "trialMetaData": {
            "trialTypeCode": one["type"], "petitionFilingDate": one["filed"],
            "institutionDecisionDate": one["decided"], "trialStatusCategory": one["status"],
        },
        "patentOwnerData": {"patentNumber": one["patent"], "realPartyInInterestName": one["owner"]},
        "regularPetitionerData": {"realPartyInInterestName": one["petitioner"]},
    }  # fmt: skip
