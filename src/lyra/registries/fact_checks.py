"""Fact-checkers by their ClaimReview data, as Google's Fact Check Tools gather it."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.model.registry import Entity, EntityKind, RegistryAnswer, RegistryRecord
from lyra.registries.api import Registry, RegistryFacts, answer_of, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, organisation
from lyra.text import is_japanese
from lyra.urls import is_web_url

NAME = "fact_checks"
_ENDPOINT = "https://factchecktools.googleapis.com/v1alpha1/claims:search"


class FactChecks(Registry):
    """What fact-checkers have published about a claim; its key is free."""

    facts = RegistryFacts(
        NAME, "ratings of claims by fact-checkers", ("factchecktools.googleapis.com",), "registries.factcheck_key"
    )
    key_header = "x-goog-api-key"

    def accepts(self, question: Question) -> bool:
        return bool(question.words)

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        language = "ja" if question.is_japanese else "en"
        asked = urlencode({"query": question.words, "languageCode": language, "pageSize": limit})
        return answer_of(NAME, [await self._client.get(f"{_ENDPOINT}?{asked}", cause_id=cause_id, parse=read)])


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """A record for each review of each claim; nothing found is an empty object."""
    claims = fields.objects(fields.mapping(json_object(body)).get("claims") or [])
    return tuple(record for claim in claims for record in _records(claim))


def _records(claim: Mapping[str, Any]) -> Iterator[RegistryRecord]:
    text = fields.string(claim.get("text"))
    for review in fields.objects(claim.get("claimReview") or []):
        url, rating = fields.string(review.get("url")), fields.string(review.get("textualRating"))
        if text and url and rating and is_web_url(url):
            yield _record(claim, text, review, url, rating)


def _record(claim: Mapping[str, Any], text: str, review: Mapping[str, Any], url: str, rating: str) -> RegistryRecord:
    subject, said = Entity(EntityKind.THING, text), RecordText("ja" if is_japanese(text) else "en")
    publisher = fields.mapping(review.get("publisher"))
    checker = fields.string(publisher.get("name")) or fields.string(publisher.get("site"))
    said.state(subject, "rated", rating)
    said.state(subject, "checked_by", checker, organisation(checker) if checker else None)
    said.state(subject, "claimed_by", fields.string(claim.get("claimant")))
    title = fields.string(review.get("title")) or f"{checker or NAME}: {rating}"
    return said.record(NAME, url, title, fields.day(str(review.get("reviewDate") or "")[:10]))
