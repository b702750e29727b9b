"""USPTO's Open Data Portal: trials before the Patent Trial and Appeal Board."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.model.registry import EntityKind, RegistryAnswer, RegistryRecord
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, numbered, organisation

NAME = "ptab"
_ROOT = "https://api.uspto.gov/api/v1/patent/trials/proceedings"
_PARTIES = (("petitioner", "regularPetitionerData"), ("patent_owner", "patentOwnerData"))
_DATES = (("filed_on", "petitionFilingDate"), ("decided_on", "institutionDecisionDate"))


class Ptab(Registry):
    """Who has challenged which patent, and how it stands; its key is free."""

    facts = RegistryFacts(NAME, "trials over US patents", ("api.uspto.gov",), "registries.uspto_key")
    key_header = "x-api-key"

    def accepts(self, question: Question) -> bool:
        return bool(question.words) and not question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        asked = urlencode({"q": question.words, "limit": limit, "offset": 0})
        return answer_of(NAME, [await self._client.get(f"{_ROOT}/search?{asked}", cause_id=cause_id, parse=read)])


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each trial."""
    found = (_record(entry) for entry in fields.objects(json_object(body, "patentTrialProceedingDataBag")))
    return tuple(record for record in found if record is not None)


def _record(entry: Mapping[str, Any]) -> RegistryRecord | None:
    number = fields.string(entry.get("trialNumber"))
    if number is None:
        return None
    subject, said = numbered(EntityKind.THING, number, "trial_number", number), RecordText("en")
    patent = fields.string(fields.mapping(entry.get("patentOwnerData")).get("patentNumber"))
    if patent:
        name = f"US{patent}"
        said.state(subject, "challenged_patent", name, numbered(EntityKind.PATENT, name, "patent_number", name))
    for predicate, field in _PARTIES:
        party = _party(fields.mapping(entry.get(field)))
        said.state(subject, predicate, party, organisation(party) if party else None)
    meta = fields.mapping(entry.get("trialMetaData"))
    for predicate, field in _DATES:
        said.state(subject, predicate, fields.string(meta.get(field)))
    said.state(subject, "trial_status", fields.string(meta.get("trialStatusCategory")))
    return said.record(NAME, f"{_ROOT}/{number}", f"PTAB {number}", fields.day(meta.get("petitionFilingDate")))


def _party(data: Mapping[str, Any]) -> str | None:
    """The real party in interest, else the owner by name."""
    return fields.string(data.get("realPartyInInterestName")) or fields.string(data.get("patentOwnerName"))
