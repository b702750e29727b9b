"""What every registry has in common: its interface, what is known about it, and how its answers are named."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lyra.apis.client import ApiClient, ApiCooldown, ApiFailure, ApiReply, Headers, parse_json
from lyra.clock import Clock
from lyra.model.page import Getter
from lyra.model.registry import RegistryAnswer, RegistryRecord
from lyra.model.search import SearchOutcome
from lyra.registries.question import Question


@dataclass(frozen=True, slots=True)
class RegistryFacts:
    """What users are told of a registry. `key_setting` is the setting that holds its key, where it needs one;
    `is_recorded`: its answers were recorded from the real service, and are not known from documentation alone."""

    name: str
    knows: str
    hosts: tuple[str, ...]
    key_setting: str | None = None
    is_recorded: bool = False


class Registry(ABC):
    """An official source of records; what the network does becomes an outcome, never an exception.

    `key_header` is the header that carries the key: there it stays out of addresses, and with them out of archives and
    logs.
    """

    facts: ClassVar[RegistryFacts]
    headers: ClassVar[Headers] = ()
    key_header: ClassVar[str | None] = None

    def __init__(self, getter: Getter, clock: Clock, cooldown: ApiCooldown, key: str | None = None) -> None:
        headers = (*self.headers, (self.key_header, key)) if self.key_header and key else self.headers
        self._client = ApiClient(self.facts.name, getter, clock, cooldown, headers)
        self._clock = clock
        self._key = key

    @property
    def has_key(self) -> bool:
        """Whether it can be asked: it needs no key, or has one."""
        return self.facts.key_setting is None or bool(self._key)

    @abstractmethod
    def accepts(self, question: Question) -> bool:
        """Whether the question is of a kind that it can answer."""

    @abstractmethod
    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        """Records that match, best first."""


def answer_of(registry: str, replies: Iterable[ApiReply]) -> RegistryAnswer:
    """The records of all replies; a failure shows where no reply had any."""
    parts = tuple(replies)
    records = tuple(record for reply in parts for record in records_of(reply))
    if records:
        return RegistryAnswer(registry, SearchOutcome.RESULTS, records)
    failure = next((one.failure for one in parts if one.failure and not one.failure.outcome.is_answer), None)
    return failed(failure) if failure else RegistryAnswer(registry, SearchOutcome.EMPTY, reason="It knows none.")


def failed(failure: ApiFailure) -> RegistryAnswer:
    return RegistryAnswer(
        failure.api,
        failure.outcome,
        reason=failure.reason,
        retry_after_s=failure.retry_after_s,
        is_unreachable=failure.is_unreachable,
    )


def records_of(reply: ApiReply) -> tuple[RegistryRecord, ...]:
    """The records that a reply was read as, each with the place of the answer in the archive."""
    if reply.failure is not None or not reply.value:
        return ()
    return tuple(replace(record, archive=reply.archive) for record in reply.value)


def limited(reply: ApiReply, limit: int) -> ApiReply:
    """The same reply with its first records."""
    return reply if reply.failure is not None else replace(reply, value=tuple(reply.value)[:limit])


def json_object(body: bytes, *path: str) -> Any:
    """What stands at a path in an answer; ValueError where the answer has no such place."""
    value = parse_json(body)
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            raise ValueError(f"has no {name!r}")
        value = value[name]
    return value


def as_list(value: Any) -> Sequence[Any]:
    """A list; one thing that stands for itself, as APIs made of XML give it, is a list of one."""
    return value if isinstance(value, list) else [] if value is None else [value]
