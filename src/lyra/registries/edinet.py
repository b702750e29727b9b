"""EDINET, version 2: what companies have filed with Japan's financial supervision, day by day.

The API lists the documents of one day and cannot be asked for a company: the days that the query names are looked
through, else the last ones.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.apis.client import ApiReply
from lyra.model.registry import Entity, RegistryAnswer, RegistryRecord
from lyra.names.identifiers import CORPORATE_NUMBER, EDINET_CODE, as_identifier
from lyra.names.organisations import name_key, organisation_key
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object, limited
from lyra.registries.question import Question
from lyra.registries.record import RecordText, organisation

NAME = "edinet"
_ENDPOINT = "https://api.edinet-fsa.go.jp/api/v2/documents.json"
_PAGE = "https://api.edinet-fsa.go.jp/api/v2/documents/"
_LAST_DAYS = 5
_MOST_DAYS = 10


class Edinet(Registry):
    """Annual reports and other disclosures; its key is free."""

    facts = RegistryFacts(NAME, "filings of Japanese companies", ("api.edinet-fsa.go.jp",), "registries.edinet_key")

    def accepts(self, question: Question) -> bool:
        return bool(question.is_japanese or question.number(EDINET_CODE) or question.number(CORPORATE_NUMBER))

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        replies: list[ApiReply] = []
        for day in self._days(question):
            asked = urlencode({"date": day.isoformat(), "type": 2, "Subscription-Key": self._key})
            reply = await self._client.get(f"{_ENDPOINT}?{asked}", cause_id=cause_id, parse=read)
            replies.append(limited(_filed_by(reply, question), limit))
            if reply.failure is not None:
                break
        return answer_of(NAME, replies)

    def _days(self, question: Question) -> list[date]:
        """The days named, newest first; without any, the last ones on which documents are taken."""
        if question.days:
            return sorted(question.days, reverse=True)[:_MOST_DAYS]
        today = self._clock.now().date()
        past = (today - timedelta(days=back) for back in range(2 * _LAST_DAYS))
        return [day for day in past if day.weekday() < 5][:_LAST_DAYS]


def _filed_by(reply: ApiReply, question: Question) -> ApiReply:
    """The documents of the company asked for."""
    if reply.failure is not None:
        return reply
    kept = [record for record in reply.value if record.facts and _is_asked_for(record.facts[0].subject, question)]
    return ApiReply(tuple(kept), archive=reply.archive)


def _is_asked_for(filer: Entity, question: Question) -> bool:
    if any(one in question.identifiers for one in filer.identifiers):
        return True
    key, asked = organisation_key(filer.name), name_key(question.words)
    return bool(key) and (key in asked or organisation_key(question.words) in key)


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each document of a day; ValueError with the service's own words where it refuses."""
    answer = fields.mapping(json_object(body))
    if not isinstance(answer.get("results"), list):
        said = fields.mapping(answer.get("metadata")).get("message") or answer.get("message")
        raise ValueError(f"says: {fields.string(said) or 'nothing'}")
    found = (_record(entry) for entry in fields.objects(answer["results"]))
    return tuple(record for record in found if record is not None)


def _record(entry: Mapping[str, Any]) -> RegistryRecord | None:
    number, name, title = (fields.string(entry.get(one)) for one in ("docID", "filerName", "docDescription"))
    if not (number and name and title):
        return None
    given = ((CORPORATE_NUMBER, "JCN"), (EDINET_CODE, "edinetCode"))
    own = [one for scheme, field in given if (one := as_identifier(scheme, entry.get(field)))]
    subject, said = organisation(name, *own), RecordText("ja")
    day = (fields.string(entry.get("submitDateTime")) or "")[:10]
    said.state(subject, "filed", f"{day}に書類「{title}」（書類管理番号{number}）")
    for one in own:
        said.state(subject, one.scheme, one.value)
    said.state(subject, "securities_code", fields.string(entry.get("secCode")))
    return said.record(NAME, f"{_PAGE}{number}", f"{name} {title}", fields.day(day))
