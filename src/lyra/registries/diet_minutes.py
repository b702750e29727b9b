"""The minutes of the Diet (国会会議録検索システム): speeches that hold the words."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.model.registry import RegistryAnswer, RegistryRecord
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, person

NAME = "diet_minutes"
_ENDPOINT = "https://kokkai.ndl.go.jp/api/speech"


class DietMinutes(Registry):
    """What was said in both houses and their committees since 1947; needs no key."""

    facts = RegistryFacts(NAME, "speeches in Japan's Diet", ("kokkai.ndl.go.jp",))

    def accepts(self, question: Question) -> bool:
        return question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        asked: dict[str, object] = {"any": question.words, "maximumRecords": limit, "recordPacking": "json"}
        if question.days:
            asked |= {"from": min(question.days).isoformat(), "until": max(question.days).isoformat()}
        reply = await self._client.get(f"{_ENDPOINT}?{urlencode(asked)}", cause_id=cause_id, parse=read)
        return answer_of(NAME, [reply])


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each speech; ValueError with the service's own words where it refuses."""
    answer = fields.mapping(json_object(body))
    if "speechRecord" not in answer and "numberOfRecords" not in answer:
        raise ValueError(f"says: {fields.string(answer.get('message')) or 'nothing'}")
    found = (_record(entry) for entry in fields.objects(answer.get("speechRecord") or []))
    return tuple(record for record in found if record is not None)


def _record(entry: Mapping[str, Any]) -> RegistryRecord | None:
    url, name, speech = (fields.string(entry.get(one)) for one in ("speechURL", "speaker", "speech"))
    if not (url and name and speech):
        return None
    date = fields.day(entry.get("date"))
    named = [entry.get("nameOfHouse"), entry.get("nameOfMeeting"), entry.get("issue")]
    meeting = "".join(text for one in named if (text := fields.string(one)))
    subject, said = person(name), RecordText("ja")
    said.state(subject, "spoke_in", f"{date or ''}の{meeting}")
    said.state(subject, "spoke_as", fields.string(entry.get("speakerPosition")))
    said.state(subject, "party", fields.string(entry.get("speakerGroup")))
    for paragraph in str(entry["speech"]).splitlines():
        said.add_prose(fields.string(paragraph) or "")
    return said.record(NAME, url, f"{meeting} {date or ''} {name}", date)
