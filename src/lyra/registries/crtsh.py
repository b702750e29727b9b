"""crt.sh: the certificates of a domain in the logs of certificate transparency, and the organisations they name."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.apis.client import ApiReply
from lyra.model.registry import Entity, EntityKind, RegistryAnswer, RegistryRecord
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.certificates import read_certificate
from lyra.registries.question import Question
from lyra.registries.record import RecordText, domain, numbered, organisation, with_address
from lyra.urls import registrable_domain

NAME = "crtsh"
_ROOT = "https://crt.sh/"
_SERIAL = "certificate_serial"
# The newest certificates that are said, and those of which the organisation is asked for.
_SAID = 20
_OPENED = 2


class CrtSh(Registry):
    """Every certificate that browsers accept is logged there; needs no key."""

    facts = RegistryFacts(NAME, "certificates of a domain", ("crt.sh",))

    def accepts(self, question: Question) -> bool:
        return question.domain is not None

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        asked = urlencode({"q": question.domain, "output": "json", "deduplicate": "Y"})
        reply = await self._client.get(f"{_ROOT}?{asked}", cause_id=cause_id, parse=_entries)
        if reply.failure is not None:
            return answer_of(NAME, [reply])
        newest = _newest(reply.value)
        listed = ApiReply(_listed(newest), archive=reply.archive)
        numbers = [str(entry["id"]) for entry in newest[: min(_OPENED, limit)] if isinstance(entry.get("id"), int)]
        return answer_of(NAME, [listed, *[await self._open(number, cause_id) for number in numbers]])

    async def _open(self, number: str, cause_id: str | None) -> ApiReply:
        """One certificate itself, which names the organisation; the list does not."""
        reply = await self._client.get(f"{_ROOT}?d={number}", cause_id=cause_id, parse=read)
        if reply.failure is not None:
            return reply
        return ApiReply(with_address(reply.value, f"{_ROOT}?id={number}"), archive=reply.archive)


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """The list of certificates, or one certificate."""
    return _certificate(body) if body.lstrip().startswith(b"-----BEGIN") else _listed(_newest(_entries(body)))


def _entries(body: bytes) -> list[Mapping[str, Any]]:
    if not isinstance(value := json_object(body), list):
        raise ValueError("is not a list of certificates")
    return fields.objects(value)


def _newest(entries: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One entry for each serial number, the newest certificate first."""
    known = {str(entry["serial_number"]): entry for entry in entries if entry.get("serial_number")}
    return sorted(known.values(), key=lambda entry: (str(entry.get("not_before")), str(entry["serial_number"])))[::-1]


def _listed(entries: list[Mapping[str, Any]]) -> tuple[RegistryRecord, ...]:
    """One record for the domain that most of the names belong to."""
    names = Counter(registrable_domain(name) for entry in entries for name in _names_of(entry))
    if not names:
        return ()
    subject, said = domain(names.most_common(1)[0][0]), RecordText("en")
    for entry in entries[:_SAID]:
        found = _entity(str(entry["serial_number"]))
        said.state(subject, "certificate", found.name, found)
        for name in _names_of(entry):
            said.state(found, "certified_name", name, domain(registrable_domain(name)))
        said.state(found, "issuer", fields.string(entry.get("issuer_name")))
        said.state(found, "valid_from", str(entry.get("not_before") or "")[:10])
        said.state(found, "valid_until", str(entry.get("not_after") or "")[:10])
    return (said.record(NAME, f"{_ROOT}?q={subject.name}", f"Certificates of {subject.name}"),)


def _names_of(entry: Mapping[str, Any]) -> list[str]:
    """The host names of an entry, wildcards by what they cover."""
    lines = [str(entry.get("common_name") or ""), *str(entry.get("name_value") or "").split("\n")]
    names = [line.strip().lower().removeprefix("*.") for line in lines]
    return list(dict.fromkeys(name for name in names if "." in name and "@" not in name and " " not in name))


def _certificate(body: bytes) -> tuple[RegistryRecord, ...]:
    found, said = read_certificate(body), RecordText("en")
    subject, own = _entity(found.serial), found.subject
    common = own.get("CN", "").lower().removeprefix("*.")
    if "." in common:
        said.state(subject, "certified_name", common, domain(registrable_domain(common)))
    if "O" in own:
        said.state(subject, "organisation", own["O"], organisation(own["O"]))
        said.state(subject, "certified_place", ", ".join(own[name] for name in ("L", "C") if name in own))
    said.state(subject, "issuer", found.issuer.get("O") or found.issuer.get("CN"))
    return (said.record(NAME, _ROOT, f"Certificate {found.serial}"),)


def _entity(serial: str) -> Entity:
    """A certificate by its serial number; a leading zero byte is a matter of writing."""
    plain = serial.lower().lstrip("0") or "0"
    return numbered(EntityKind.CERTIFICATE, plain, _SERIAL, plain)
