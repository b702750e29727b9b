"""e-Gov's API of Japanese law, version 2: articles in force that hold the words."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.model.registry import EntityKind, RegistryAnswer, RegistryRecord
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, numbered

NAME = "egov_law"
_ENDPOINT = "https://laws.e-gov.go.jp/api/2/keyword"
_PAGE = "https://laws.e-gov.go.jp/law/"
_SENTENCES = 5


class EGovLaw(Registry):
    """The text of laws, orders and rules; needs no key."""

    facts = RegistryFacts(NAME, "Japanese laws by their text", ("laws.e-gov.go.jp",))

    def accepts(self, question: Question) -> bool:
        return question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        words = " AND ".join(question.words.split())
        asked = urlencode({"keyword": words, "limit": limit, "sentences_limit": _SENTENCES, "response_format": "json"})
        return answer_of(NAME, [await self._client.get(f"{_ENDPOINT}?{asked}", cause_id=cause_id, parse=read)])


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each law with the sentences that were found in it."""
    found = (_record(entry) for entry in fields.objects(json_object(body, "items")))
    return tuple(record for record in found if record is not None)


def _record(entry: Mapping[str, Any]) -> RegistryRecord | None:
    law, revision = fields.mapping(entry.get("law_info")), fields.mapping(entry.get("revision_info"))
    number, title = fields.string(law.get("law_id")), fields.string(revision.get("law_title"))
    if number is None or title is None:
        return None
    subject, said = numbered(EntityKind.LAW, title, "law_id", number), RecordText("ja")
    said.state(subject, "law_number", fields.string(law.get("law_num")))
    said.state(subject, "promulgated_on", fields.day(law.get("promulgation_date")))
    for sentence in fields.objects(entry.get("sentences")):
        # Marks of the words that were looked for stand between characters, not words.
        said.add_prose((fields.string(sentence.get("text")) or "").replace(" ", ""))
    return said.record(NAME, f"{_PAGE}{number}", title, fields.day(revision.get("amendment_enforcement_date")))
