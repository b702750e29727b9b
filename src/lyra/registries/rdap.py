"""RDAP, the successor of WHOIS: who registered a domain, through whom and when (RFC 9082, 9083, 9224)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from lyra.apis import fields
from lyra.apis.client import ApiCooldown, ApiFailure
from lyra.clock import Clock
from lyra.model.page import Getter
from lyra.model.registry import RegistryAnswer, RegistryRecord
from lyra.model.search import SearchOutcome
from lyra.registries.api import Registry, RegistryFacts, answer_of, failed, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, domain, organisation

NAME = "rdap"
_BOOTSTRAP = "https://data.iana.org/rdap/dns.json"
_ACCEPT = (("accept", "application/rdap+json, application/json"),)
_EVENTS = {"registration": "registered_on", "expiration": "expires_on", "last changed": "changed_on"}
# What stands in the place of a name that is not told.
_REDACTED = re.compile(r"redacted|privacy|not disclosed|withheld|data protected|identity protection", re.IGNORECASE)
_ROLES = {"registrant": "registrant", "registrar": "registrar"}


class Rdap(Registry):
    """The registries of domains, found through IANA's list, and the registrar that a registry refers to; no key."""

    facts = RegistryFacts(
        NAME, "who registered a domain", ("data.iana.org", "the registry of the domain"), is_recorded=True
    )
    headers = _ACCEPT

    def __init__(self, getter: Getter, clock: Clock, cooldown: ApiCooldown) -> None:
        super().__init__(getter, clock, cooldown)
        self._services: dict[str, str] = {}

    def accepts(self, question: Question) -> bool:
        return question.domain is not None

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        name = question.domain or ""
        failure = await self._load_services(cause_id)
        if failure is not None:
            return failed(failure)
        service = self._services.get(name.rpartition(".")[2])
        if service is None:
            reason = f"The registry of .{name.rpartition('.')[2]} offers no RDAP (IANA's list)."
            return RegistryAnswer(NAME, SearchOutcome.FAILED, reason=reason)
        reply = await self._client.get(f"{service}domain/{name}", cause_id=cause_id, parse=_read_both)
        if reply.failure is not None:
            return failed(reply.failure)
        records, registrar = reply.value
        replies = [replace(reply, value=records)]
        if registrar is not None and urlsplit(registrar).hostname != urlsplit(service).hostname:
            # Of many domains only the registrar knows the registrant.
            replies.append(await self._client.get(registrar, cause_id=cause_id, parse=read))
        return answer_of(NAME, replies)

    async def _load_services(self, cause_id: str | None) -> ApiFailure | None:
        """IANA's list of registries, once in the life of a process."""
        if self._services:
            return None
        reply = await self._client.get(_BOOTSTRAP, cause_id=cause_id, parse=read_services)
        if reply.failure is None:
            self._services = reply.value
        return reply.failure


def read_services(body: bytes) -> dict[str, str]:
    """The first https address for each top-level domain."""
    found: dict[str, str] = {}
    for service in json_object(body, "services"):
        if not (isinstance(service, list) and len(service) == 2 and all(isinstance(part, list) for part in service)):
            raise ValueError("is not a list of services")
        names, addresses = service
        address = next((one for one in addresses if isinstance(one, str) and one.startswith("https://")), None)
        if address is not None:
            base = address if address.endswith("/") else f"{address}/"
            found |= {name.lower(): base for name in names if isinstance(name, str)}
    return found


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """The domain of an answer."""
    entry = fields.mapping(json_object(body))
    name = fields.string(entry.get("ldhName"))
    if entry.get("objectClassName") != "domain" or name is None:
        raise ValueError("is not a domain")
    subject, said = domain(name), RecordText("en")
    for role, holder in _holders(entry):
        said.state(subject, _ROLES[role], holder, organisation(holder))
    for event in fields.objects(entry.get("events")):
        predicate = _EVENTS.get(str(event.get("eventAction")))
        if predicate is not None:
            said.state(subject, predicate, str(event.get("eventDate") or "")[:10])
    for server in fields.objects(entry.get("nameservers")):
        host = (fields.string(server.get("ldhName")) or "").lower()
        said.state(subject, "nameserver", host, domain(host) if host else None)
    for status in entry.get("status") or []:
        said.state(subject, "status", fields.string(status))
    url = _link(entry, "self") or f"https://rdap.org/domain/{subject.name}"
    return (said.record(NAME, url, f"{subject.name} ({urlsplit(url).hostname})"),)


def _read_both(body: bytes) -> tuple[tuple[RegistryRecord, ...], str | None]:
    """The record, and where the registrar tells of the same domain."""
    return read(body), _link(fields.mapping(json_object(body)), "related")


def _link(entry: Mapping[str, Any], relation: str) -> str | None:
    """The address of another RDAP answer that this one refers to."""
    for link in fields.objects(entry.get("links")):
        address = link.get("href")
        is_rdap = link.get("type") in (None, "application/rdap+json")
        if link.get("rel") == relation and is_rdap and isinstance(address, str) and address.startswith("https://"):
            return address
    return None


def _holders(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Registrant and registrar by name; what privacy rules have struck out is left out."""
    for entity in fields.objects(entry.get("entities")):
        name = _card_name(entity.get("vcardArray"))
        for role in entity.get("roles") or []:
            if role in _ROLES and name and not _REDACTED.search(name):
                yield role, name


def _card_name(card: Any) -> str | None:
    """The organisation of a jCard, else its full name (RFC 7095); none where the card is broken."""
    properties = card[1] if isinstance(card, list) and len(card) > 1 and isinstance(card[1], list) else []
    named: dict[str, str] = {}
    for one in properties:
        if isinstance(one, list) and len(one) > 3 and isinstance(one[0], str):
            value = one[3][0] if isinstance(one[3], list) and one[3] else one[3]
            if text := fields.string(value):
                named.setdefault(one[0], text)
    return named.get("org") or named.get("fn")
