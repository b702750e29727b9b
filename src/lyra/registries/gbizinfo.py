"""gBizINFO, version 2: Japanese corporations by name or corporate number."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from lyra.apis import fields
from lyra.model.registry import RegistryAnswer, RegistryRecord
from lyra.names.identifiers import CORPORATE_NUMBER, as_identifier
from lyra.names.organisations import organisation_key
from lyra.registries.api import Registry, RegistryFacts, answer_of, failed, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, domain, organisation, person
from lyra.urls import registrable_domain

NAME = "gbizinfo"
_ROOT = "https://api.info.gbiz.go.jp/hojin/v2/hojin"
_PAGE = "https://info.gbiz.go.jp/hojin/ichiran?hojinBango="


class GBizInfo(Registry):
    """What ministries know of corporations; its token is free."""

    facts = RegistryFacts(NAME, "Japanese corporations", ("api.info.gbiz.go.jp",), "registries.gbizinfo_key")
    key_header = "x-hojininfo-api-token"

    def accepts(self, question: Question) -> bool:
        return question.number(CORPORATE_NUMBER) is not None or question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        number = question.number(CORPORATE_NUMBER)
        numbers = [number] if number else []
        if not numbers:
            asked = urlencode({"name": question.words, "page": 1, "limit": max(limit, 10)})
            reply = await self._client.get(f"{_ROOT}?{asked}", cause_id=cause_id, parse=_entries)
            if reply.failure is not None:
                return failed(reply.failure)
            numbers = _numbers(reply.value, question.words)[:limit]
        replies = [await self._client.get(f"{_ROOT}/{one}", cause_id=cause_id, parse=read) for one in numbers]
        return answer_of(NAME, replies)


def _entries(body: bytes) -> list[Mapping[str, Any]]:
    return fields.objects(json_object(body, "hojin-infos"))


def _numbers(entries: list[Mapping[str, Any]], name: str) -> list[str]:
    """The corporate numbers that were found, those of the very name first."""
    key = organisation_key(name)
    named = sorted(entries, key=lambda entry: organisation_key(str(entry.get("name") or "")) != key)
    found = (as_identifier(CORPORATE_NUMBER, entry.get("corporate_number")) for entry in named)
    return [one.value for one in found if one]


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each corporation."""
    found = (_record(entry) for entry in _entries(body))
    return tuple(record for record in found if record is not None)


def _record(entry: Mapping[str, Any]) -> RegistryRecord | None:
    number = as_identifier(CORPORATE_NUMBER, entry.get("corporate_number"))
    name = fields.string(entry.get("name"))
    if number is None or name is None:
        return None
    subject, said = organisation(name, number), RecordText("ja")
    said.state(subject, "corporate_number", number.value)
    said.state(subject, "alias", fields.string(entry.get("name_en")))
    said.state(subject, "address", fields.string(entry.get("location")))
    head = "".join((fields.string(entry.get("representative_name")) or "").split())
    said.state(subject, "representative", head, person(head) if head else None)
    said.state(subject, "founded", fields.day(str(entry.get("date_of_establishment") or "")[:10]))
    for predicate, field in (("capital", "capital_stock"), ("employees", "employee_number")):
        said.state(subject, predicate, _number(entry.get(field)))
    said.state(subject, "business", fields.string(entry.get("business_summary")))
    website = fields.string(entry.get("company_url"))
    host = urlsplit(website or "").hostname
    said.state(subject, "website", website, domain(registrable_domain(host)) if host else None)
    said.state(subject, "registry_status", (fields.string(entry.get("status")) or "").strip("-"))
    return said.record(NAME, f"{_PAGE}{number.value}", name, fields.day(str(entry.get("update_date") or "")[:10]))


def _number(value: Any) -> str | None:
    return None if fields.count(value) is None else str(value)
