"""EPO's Open Patent Services 3.2: patent documents of the world by words of title and abstract."""

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.apis.client import ApiCooldown, ApiFailure
from lyra.clock import Clock
from lyra.model.page import Getter
from lyra.model.registry import EntityKind, RegistryAnswer, RegistryRecord
from lyra.model.search import SearchOutcome
from lyra.registries.api import Registry, RegistryFacts, answer_of, as_list, failed, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, numbered, organisation, person

NAME = "epo_ops"
_ROOT = "https://ops.epo.org/3.2"
_PAGE = "https://worldwide.espacenet.com/patent/search?q=pn%3D"
_FORM = {"grant_type": "client_credentials"}
# A token is good for twenty minutes; it is asked for again somewhat sooner.
_TOKEN_S = 1_000.0


class EpoOps(Registry):
    """The European Patent Office; key and secret of an application are free."""

    facts = RegistryFacts(NAME, "patent documents", ("ops.epo.org",), "registries.epo_key")

    def __init__(
        self, getter: Getter, clock: Clock, cooldown: ApiCooldown, key: str | None = None, secret: str | None = None
    ) -> None:
        super().__init__(getter, clock, cooldown, key)
        self._login = base64.b64encode(f"{key}:{secret}".encode()).decode() if key and secret else None
        self._token = ""
        self._until_s = 0.0

    @property
    def has_key(self) -> bool:
        return self._login is not None

    def accepts(self, question: Question) -> bool:
        return bool(question.words) and not question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        failure = await self._log_in(cause_id)
        if failure is not None:
            return failed(failure)
        asked = urlencode({"q": cql(question.words), "Range": f"1-{limit}"})
        reply = await self._client.get(
            f"{_ROOT}/rest-services/published-data/search/biblio?{asked}",
            cause_id=cause_id,
            headers=(("authorization", f"Bearer {self._token}"),),
            parse=read,
        )
        if reply.failure is not None and reply.failure.outcome is SearchOutcome.BLOCKED:
            self._until_s = 0.0
        return answer_of(NAME, [reply])

    async def _log_in(self, cause_id: str | None) -> ApiFailure | None:
        if self._clock.monotonic() < self._until_s:
            return None
        headers = (("authorization", f"Basic {self._login}"),)
        reply = await self._client.log_in(f"{_ROOT}/auth/accesstoken", _FORM, headers, cause_id=cause_id)
        if reply.failure is not None:
            return reply.failure
        token = fields.mapping(reply.value).get("access_token")
        if not isinstance(token, str) or not token:
            return ApiFailure(NAME, SearchOutcome.FAILED, "The API gave no token.")
        self._token, self._until_s = token, self._clock.monotonic() + _TOKEN_S
        return None


def cql(words: str) -> str:
    """All words in title or abstract, in the service's own language."""
    plain = re.sub(r'["()=<>/\\]', " ", words).split()
    return " and ".join(f'ta="{word}"' for word in plain[:10])


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each document."""
    result = json_object(body, "ops:world-patent-data", "ops:biblio-search", "ops:search-result")
    wrapped = fields.objects(as_list(fields.mapping(result).get("exchange-documents")))
    documents = (one for wrap in wrapped for one in fields.objects(as_list(wrap.get("exchange-document"))))
    found = (_record(document) for document in documents)
    return tuple(record for record in found if record is not None)


def _record(document: Mapping[str, Any]) -> RegistryRecord | None:
    number = "".join(str(document.get(name) or "") for name in ("@country", "@doc-number", "@kind"))
    if not number:
        return None
    data = fields.mapping(document.get("bibliographic-data"))
    title = _english(data.get("invention-title")) or number
    subject, said = numbered(EntityKind.PATENT, number, "publication_number", number), RecordText("en")
    for paragraph in _abstract(document.get("abstract")):
        said.add_prose(paragraph)
    said.state(subject, "patent_title", title)
    parties = fields.mapping(data.get("parties"))
    for name in _parties(parties, "applicant"):
        said.state(subject, "applicant", name, organisation(name))
    for name in _parties(parties, "inventor"):
        said.state(subject, "inventor", name, person(name))
    day = _publication_day(data)
    said.state(subject, "published_on", day)
    return said.record(NAME, f"{_PAGE}{number}", title, day)


def _abstract(value: Any) -> Iterator[str]:
    entries = fields.objects(as_list(value))
    chosen = next((one for one in entries if one.get("@lang") == "en"), entries[0] if entries else {})
    for paragraph in as_list(chosen.get("p")):
        yield _text(paragraph) or ""


def _english(value: Any) -> str | None:
    entries = as_list(value)
    chosen = next((one for one in fields.objects(entries) if one.get("@lang") == "en"), None)
    return _text(chosen) or next((_text(one) for one in entries), None)


def _parties(parties: Mapping[str, Any], role: str) -> list[str]:
    """Names of one role, each once: the same party stands there in two spellings."""
    listed = fields.objects(as_list(fields.mapping(parties.get(f"{role}s")).get(role)))
    own = [one for one in listed if one.get("@data-format") == "epodoc"] or listed
    names = (_text(fields.mapping(fields.mapping(one.get(f"{role}-name")).get("name"))) for one in own)
    # EPODOC names end with the country in brackets.
    return list(dict.fromkeys(re.sub(r"\s*\[[A-Z]{2}\]$", "", name).rstrip(", ") for name in names if name))


def _publication_day(data: Mapping[str, Any]) -> str | None:
    reference = fields.mapping(data.get("publication-reference"))
    for one in fields.objects(as_list(reference.get("document-id"))):
        day = _text(one.get("date")) or ""
        if re.fullmatch(r"\d{8}", day):
            return fields.day(f"{day[:4]}-{day[4:6]}-{day[6:]}")
    return None


def _text(value: Any) -> str | None:
    return fields.string(fields.mapping(value).get("$")) if isinstance(value, Mapping) else fields.string(value)
