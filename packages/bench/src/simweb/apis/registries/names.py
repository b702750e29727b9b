"""Names of the internet: IANA's list of RDAP services, one of these, a registrar, and crt.sh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simweb.apis.answers import json_response
from simweb.apis.registries import checking
from simweb.apis.registries.checking import RefusedError
from simweb.apis.registries.holdings import Held
from simweb.hosts import Host, PlainHost
from simweb.messages import Request, Response

REGISTRY, REGISTRAR = "rdap.verisign.com", "rdap.simulated-names.com"
_TYPE = "application/rdap+json"


def hosts(held: Held) -> dict[str, Host]:
    return {
        "data.iana.org": Bootstrap(),
        REGISTRY: Rdap(held, REGISTRY),
        REGISTRAR: Rdap(held, REGISTRAR),
        "crt.sh": CrtSh(held),
    }


class Bootstrap(PlainHost):
    def answer(self, request: Request) -> Response:
        if request.path != "/rdap/dns.json" or request.method != "GET":
            return Response.html("<h1>404 Not Found</h1>", 404)
        services = [[["com", "net"], [f"https://{REGISTRY}/com/v1/"]], [["invalid"], ["http://rdap.nic.invalid/"]]]
        return json_response({"description": "RDAP bootstrap file", "version": "1.0", "services": services})


class Rdap(PlainHost):
    """A registry without registrants, which refers to the registrar, or the registrar with them."""

    def __init__(self, held: Held, host: str) -> None:
        self._held = held
        self._host = host

    def answer(self, request: Request) -> Response:
        try:
            checking.accepts(request, _TYPE)
            checking.parameters(request, set())
        except RefusedError as exc:
            return json_response({"errorCode": exc.status, "title": str(exc)}, exc.status)
        name = request.path.removeprefix("/com/v1" if self._host == REGISTRY else "").removeprefix("/domain/")
        found = next((one for one in self._held["domains"] if one["name"] == name), None)
        if found is None:
            return json_response({"errorCode": 404, "title": "Object not found"}, 404)
        return json_response(self._domain(found)).with_headers(content_type=_TYPE)

    def _domain(self, one: Held) -> dict[str, Any]:
        address = f"domain/{one['name'].upper()}"
        path = "com/v1/" if self._host == REGISTRY else ""
        links = [_link("self", f"https://{self._host}/{path}{address}")]
        entities = [_entity("registrar", one["registrar"])]
        if self._host == REGISTRAR:
            entities.append(_entity("registrant", one["registrant"]))
        else:
            links.append(_link("related", f"https://{REGISTRAR}/domain/{one['name']}"))
        return {
            "objectClassName": "domain", "ldhName": one["name"].upper(), "links": links, "status": one["status"],
            "entities": entities,
            "events": [
                {"eventAction": "registration", "eventDate": one["registered"]},
                {"eventAction": "expiration", "eventDate": one["expires"]},
            ],
            "nameservers": [{"objectClassName": "nameserver", "ldhName": name.upper()} for name in one["nameservers"]],
            "rdapConformance": ["rdap_level_0"],
        }  # fmt: skip


def _link(relation: str, address: str) -> dict[str, str]:
    return {"value": address, "rel": relation, "href": address, "type": _TYPE}


def _entity(role: str, name: str) -> dict[str, Any]:
    card = [["version", {}, "text", "4.0"], ["fn", {}, "text", name], ["org", {}, "text", name]]
    return {"objectClassName": "entity", "roles": [role], "vcardArray": ["vcard", card]}


class CrtSh(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        asked: Mapping[str, str] = request.parameters()
        try:
            if request.path != "/":
                raise RefusedError("not found", 404)
            if set(asked) == {"d"}:
                return self._download(asked["d"])
            checking.parameters(request, {"q", "output"}, {"deduplicate", "exclude"})
            if asked["output"] != "json":
                raise RefusedError("Unsupported output type")
        except RefusedError as exc:
            return Response.html(f"<HTML><BODY>{exc}</BODY></HTML>", exc.status)
        found = [one for one in self._held["certificates"] if any(name.endswith(asked["q"]) for name in one["names"])]
        return json_response([_entry(one) for one in found])

    def _download(self, number: str) -> Response:
        found = next((one for one in self._held["certificates"] if str(one["id"]) == number), None)
        if found is None:
            return Response.html("<HTML><BODY>Certificate not found</BODY></HTML>", 404)
        return Response.text(found["pem"], content_type="application/pkix-cert")


def _entry(one: Held) -> dict[str, Any]:
    return {
        "issuer_ca_id": 99, "issuer_name": one["issuer"], "common_name": one["names"][0],
        "name_value": "\n".join(one["names"]), "id": one["id"], "entry_timestamp": one["not_before"],
        "not_before": one["not_before"], "not_after": one["not_after"], "serial_number": one["serial"],
        "result_count": len(one["names"]) + 1,
    }  # fmt: skip
