"""The user's own language models, behind OpenAI-compatible servers: a `Generator` for each.

Prompts and answers are not logged: their hash, length and time are.
"""

import contextlib
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from lyra.clock import Clock
from lyra.errors import ModelError, ObeyedOrder, QuestionTooLong, UnreadableAnswer
from lyra.ids import text_hash
from lyra.llm_settings import LlmEndpoint
from lyra.ml.endpoints import allowed_address
from lyra.ml.protocols import AnswerForm, Completion
from lyra.ml.server_connection import Backoff, HttpReply, ModelServer
from lyra.ml.tokens import least_tokens, most_tokens
from lyra.observe import audit
from lyra.observe.log import get_logger
from lyra.security.fence import fence_system_text, session_tag
from lyra.security.output_check import output_faults
from lyra.security.sanitise import MAX_PROMPT_CHARS, sanitise

_log = get_logger(__name__)
_PATH = "/chat/completions"
_BACKOFF_S = 60.0
_MAX_BACKOFF_S = 3600.0
_MAX_REPLY_BYTES = 1_000_000
_CHARS_PER_TOKEN = 4
_MAX_LENGTH_FACTOR = 10
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
LlmSlot = Callable[[], contextlib.AbstractAsyncContextManager[None]]


class _Number(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int


class LocalGenerator:
    """Asks one model, one question at a time. A server that fails is left in peace for a while, longer each time."""

    def __init__(
        self,
        server: LlmEndpoint,
        clock: Clock,
        *,
        turn: LlmSlot = contextlib.nullcontext,
        secret: bytes | None = None,
        ca_bundle: Path | None = None,
    ) -> None:
        address = allowed_address(server.address, allow_remote=server.allow_remote, insecure=server.insecure)
        self._connection = ModelServer(address, server.api_key, ca_bundle)
        self._backoff = Backoff(clock, _BACKOFF_S, _MAX_BACKOFF_S)
        self._server = server
        self._clock = clock
        self._turn = turn
        self._secret = secret or secrets.token_bytes(32)
        self._takes_schema = True
        self.model_id = server.model
        self.place = address.place
        self.is_local = address.is_local
        self.takes_own_documents = address.is_local or server.library_text

    async def complete(
        self,
        system: str,
        material: Mapping[str, str],
        form: type[AnswerForm],
        *,
        session: str,
    ) -> Completion[AnswerForm]:
        self._backoff.refuse()
        pieces, dangers, cut_chars = _cleaned(material)
        data = json.dumps(pieces, ensure_ascii=False)
        schema = _without_descriptions(form.model_json_schema())
        wanted = f"{system}\n\nAnswer with one JSON object of this schema and nothing else:\n{json.dumps(schema)}"
        hidden = fence_system_text(wanted, session_tag(self._secret, session))
        question = _Question(hidden, data, schema, self._server.timeout_s)
        self._refuse_too_long(question)
        async with self._turn():
            started = self._clock.monotonic()
            answer, repaired = await self._answer(question, form)
            seconds = self._clock.monotonic() - started
        broken = output_faults(_strings(answer.model_dump()), given=data, system=hidden)
        _log.info("llm answered", input=text_hash(data), length=len(data), seconds=round(seconds, 3), faults=broken)
        if dangers:
            audit.record("L2", "orders in what a model was given", input=text_hash(data), kinds=dangers)
        if broken:
            audit.record("L4", "output refused", input=text_hash(data), faults=broken, kinds=dangers)
            if dangers:
                raise ObeyedOrder(
                    f"The LLM's answer was refused ({', '.join(broken)}).",
                    remedy="The text that it was given holds orders; look at the page.",
                )
            raise _unreadable(f"The LLM's answer was refused ({', '.join(broken)}).")
        return Completion(answer, dangers, round(seconds, 3), cut_chars, repaired)

    async def probe(self) -> float:
        """Seconds that a small question takes; raises like `complete`."""
        system = "You are given a number as JSON. Answer with that number."
        return (await self.complete(system, {"number": "7"}, _Number, session="probe")).seconds

    async def _answer(self, question: "_Question", form: type[AnswerForm]) -> tuple[AnswerForm, bool]:
        """The answer in its form, and whether the model had to mend it; it may do so once, within the same time."""
        deadline = self._clock.monotonic() + question.timeout_s
        first = await self._content(question, question.messages)
        try:
            return _parse_answer(first, form, self._server.max_tokens), False
        except UnreadableAnswer as exc:
            left_s = deadline - self._clock.monotonic()
            again = question.repair_messages(first[: 4 * self._server.max_tokens], exc.message)
            if left_s < 1 or self._tokens(again) > self._server.context_tokens:
                raise
        mended = await self._content(question, again, left_s)
        return _parse_answer(mended, form, self._server.max_tokens), True

    async def _content(
        self, question: "_Question", messages: list[dict[str, str]], timeout_s: float | None = None
    ) -> str:
        """The model's own words; a server that fails begins a rest."""
        request = {
            "model": self.model_id,
            "messages": messages,
            "temperature": 0,
            "seed": 0,
            "max_tokens": self._server.max_tokens,
            "stream": False,
        }
        least = least_tokens("".join(one["content"] for one in messages))
        try:
            reply = await self._ask(request, question.schema, timeout_s or question.timeout_s)
            content = _content_of(reply, self.model_id, least)
        except ModelError as exc:
            self._backoff.start(exc)
            raise
        self._backoff.end()
        return content

    async def _ask(self, request: dict[str, Any], schema: dict[str, Any], timeout_s: float) -> HttpReply:
        """With the schema where the server takes one; one that refuses it is asked for any JSON object."""
        if self._takes_schema:
            form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
            reply = await self._post({**request, "response_format": form}, timeout_s)
            if reply.status != 400:
                return reply
        reply = await self._post({**request, "response_format": {"type": "json_object"}}, timeout_s)
        self._takes_schema = self._takes_schema and reply.status != 200
        return reply

    async def _post(self, request: dict[str, Any], timeout_s: float) -> HttpReply:
        where = self.place
        try:
            return await self._connection.send(_PATH, request, timeout_s=timeout_s, max_bytes=_MAX_REPLY_BYTES)
        except TimeoutError as exc:
            raise ModelError(
                f"The LLM server at {where} did not answer within {timeout_s:g} s.",
                remedy="Take a smaller model, wait until it is loaded, or raise llm.timeout_s.",
            ) from exc
        except ConnectionRefusedError as exc:
            raise ModelError(
                f"No LLM server listens at {where}.",
                remedy="Start it (such as `ollama serve`), or unset llm.endpoint.",
            ) from exc
        except OSError as exc:
            raise ModelError(
                f"The connection to the LLM server at {where} broke ({exc.strerror or type(exc).__name__}).",
                remedy="Look at the server's own log.",
            ) from exc

    def _tokens(self, messages: list[dict[str, str]]) -> int:
        """Tokens that question and answer take at most."""
        return sum(most_tokens(one["content"]) for one in messages) + self._server.max_tokens

    def _refuse_too_long(self, question: "_Question") -> None:
        """Before a server could cut it without a word."""
        needed = self._tokens(question.messages)
        if needed > self._server.context_tokens:
            raise QuestionTooLong(
                f"The question to the LLM may take {needed} tokens with its answer, and the model has room for "
                f"{self._server.context_tokens}.",
                remedy="Give the server a larger context and say so in context_tokens, or lower max_tokens.",
            )


@dataclass(frozen=True, slots=True)
class _Question:
    """What is sent: the fenced system text, the material as data, the form of the answer and the time it has."""

    hidden: str
    data: str
    schema: dict[str, Any]
    timeout_s: float

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "system", "content": self.hidden}, {"role": "user", "content": self.data}]

    def repair_messages(self, answer: str, fault: str) -> list[dict[str, str]]:
        """The question again, with the answer that was no good and why."""
        request = f"{fault} Answer again with one JSON object of the schema, complete and short."
        said = {"role": "assistant", "content": answer}
        return [*self.messages, said, {"role": "user", "content": request}]


def _cleaned(material: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...], int]:
    """Every piece sanitised, all together within L2's limit: what comes first is kept first; how much was left out."""
    left, cut = MAX_PROMPT_CHARS, 0
    pieces: dict[str, str] = {}
    dangers: dict[str, None] = {}
    for name, text in material.items():
        cleaned = sanitise(text, left)
        pieces[name] = cleaned.text
        left -= len(cleaned.text)
        cut += cleaned.cut_chars
        dangers.update(dict.fromkeys(cleaned.dangers))
    return pieces, tuple(dangers), cut


def _content_of(reply: HttpReply, model: str, least: int) -> str:
    """The text of the first choice; `ModelError` where the server gave none. Its own words are not repeated (L8).

    `least` are the tokens that the question has at least: a server that counts fewer has left some of it out.
    """
    if reply.status != 200:
        raise _refused(reply.status, model)
    try:
        read = from_json(reply.body)
        content = read["choices"][0]["message"]["content"]
        counted = (read.get("usage") or {}).get("prompt_tokens")
    except (ValueError, LookupError, TypeError, AttributeError) as exc:
        raise ModelError(
            "The server at llm.endpoint does not answer like an OpenAI-compatible one.",
            remedy="Check llm.endpoint: Ollama, llama.cpp, LM Studio and vLLM serve below /v1.",
        ) from exc
    if isinstance(counted, int) and 0 < counted < least:
        raise ModelError(
            f"The LLM server read {counted} tokens of a question that has at least {least}: it cut it.",
            remedy="Give the model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH=8192).",
        )
    return content if isinstance(content, str) else ""


def _refused(status: int, model: str) -> ModelError:
    if status == 404:
        return ModelError(
            f"The LLM server does not know the model {model!r}.",
            remedy=f"Load it (such as `ollama pull {model}`), or name one it has in llm.model.",
        )
    if 300 <= status < 400:
        return ModelError(
            f"The LLM server redirects ({status}), which is not followed.",
            remedy="Name the server's own address in llm.endpoint.",
        )
    if status in (401, 403):
        remedy = "Name it in `api_key` of the endpoint, or start a local server without one."
        return ModelError(f"The LLM server asks for a key ({status}).", remedy=remedy)
    return ModelError(f"The LLM server answered with status {status}.", remedy="Look at the server's own log.")


def _parse_answer(content: str, form: type[AnswerForm], max_tokens: int) -> AnswerForm:
    """The JSON object among the model's words, whatever is around it."""
    if len(content) > _MAX_LENGTH_FACTOR * _CHARS_PER_TOKEN * max_tokens:
        raise _unreadable("The LLM's answer is far longer than allowed.")
    said = _THOUGHT.sub("", content)
    found = said[said.find("{") : said.rfind("}") + 1]
    try:
        return form.model_validate_json(found)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "whole"
        raise _unreadable(f"The LLM's answer does not fit the requested schema ({where}: {first['type']}).") from None


def _unreadable(message: str) -> UnreadableAnswer:
    return UnreadableAnswer(message, remedy="Set a larger model in llm.model: it follows the schema more often.")


def _without_descriptions(schema: Any) -> Any:
    """The schema without what only people read: every token costs time. A property may be called `title`."""
    if not isinstance(schema, dict):
        return schema
    kept = {
        name: value for name, value in schema.items() if name not in ("title", "description") or type(value) is dict
    }
    return {name: _without_descriptions(value) for name, value in kept.items()}


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = list(value.values()) if isinstance(value, Mapping) else value
    return [text for one in inner for text in _strings(one)] if isinstance(inner, list) else []
