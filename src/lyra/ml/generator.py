"""The user's own language model, behind an OpenAI-compatible server on this machine: a `Generator`.

Prompts and answers are not logged: their hash, length and time are.
"""

import asyncio
import contextlib
import json
import re
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json

from lyra.clock import Clock
from lyra.errors import ModelError, ObeyedOrder, UnreadableAnswer
from lyra.ids import text_hash
from lyra.ml.protocols import AnswerForm, Completion
from lyra.observe import audit
from lyra.observe.log import get_logger
from lyra.security.fence import fence_system_text, session_tag
from lyra.security.output_check import output_faults
from lyra.security.sanitise import MAX_PROMPT_CHARS, sanitise
from lyra.settings import Llm

_MAX_REPLY_BYTES = 1_000_000
# `localhost` is not left to a resolver, which might name another machine.
_LOCALHOST = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class HttpReply:
    status: int
    body: bytes


async def post_json(url: str, payload: Mapping[str, Any], timeout_s: float) -> HttpReply:
    """Send JSON and read the whole answer within the limit; `ModelError` where none comes.

    No name is resolved, no proxy used, no redirect followed.
    """
    line = _Connection(url)
    where = urlsplit(url).netloc
    try:
        async with asyncio.timeout(timeout_s):
            return await asyncio.to_thread(line.post, json.dumps(payload).encode(), timeout_s)
    except TimeoutError as exc:
        raise ModelError(
            f"The LLM server at {where} did not answer within {timeout_s:g} s.",
            remedy="Take a smaller model, wait until it is loaded, or raise llm.timeout_s.",
        ) from exc
    except ConnectionRefusedError as exc:
        raise ModelError(
            f"No LLM server listens at {where}.", remedy="Start it (such as `ollama serve`), or unset llm.endpoint."
        ) from exc
    except OSError as exc:
        raise ModelError(
            f"The connection to the LLM server at {where} broke ({exc.strerror or type(exc).__name__}).",
            remedy="Look at the server's own log.",
        ) from exc
    finally:
        line.abort()


class _Connection:
    """A connection that another thread may end in the middle."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        self._sock: socket.socket | None = None
        self._is_aborted = False

    def post(self, body: bytes, timeout_s: float) -> HttpReply:
        """Blocking; foreign errors of HTTP leave as OSError."""
        from http.client import HTTPConnection, HTTPException  # lazy: the server starts without it

        self._sock = sock = self._connect(timeout_s)
        connection = HTTPConnection(self._host, self._port)
        connection.sock = sock
        try:
            if self._is_aborted:
                raise ConnectionAbortedError
            connection.request("POST", self._path, body, {"Content-Type": "application/json", "Connection": "close"})
            response = connection.getresponse()
            return HttpReply(response.status, response.read(_MAX_REPLY_BYTES))
        except HTTPException as exc:
            raise ConnectionError("not HTTP") from exc
        finally:
            connection.close()
            sock.close()

    def abort(self) -> None:
        """End the transfer wherever it is; the thread that waits for it comes back."""
        self._is_aborted = True
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)

    def _connect(self, timeout_s: float) -> socket.socket:
        first, *others = _LOCALHOST if self._host == "localhost" else (self._host,)
        try:
            return socket.create_connection((first, self._port), timeout=timeout_s)
        except ConnectionRefusedError:
            for address in others:
                with contextlib.suppress(OSError):
                    return socket.create_connection((address, self._port), timeout=timeout_s)
            raise


_log = get_logger(__name__)
_BACKOFF_S = 60.0
_MAX_BACKOFF_S = 3600.0
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
        settings: Llm,
        endpoint: str,
        clock: Clock,
        *,
        turn: LlmSlot = contextlib.nullcontext,
        secret: bytes | None = None,
    ) -> None:
        self._settings = settings
        self._url = f"{endpoint}/chat/completions"
        self._clock = clock
        self._turn = turn
        self._secret = secret or secrets.token_bytes(32)
        self._takes_schema = True
        self._failures = 0
        self._retry_at = 0.0
        self._failure: ModelError | None = None
        self.model_id = settings.model

    async def complete(
        self, system: str, material: Mapping[str, str], form: type[AnswerForm], *, session: str
    ) -> Completion[AnswerForm]:
        self._refuse_during_backoff()
        pieces, dangers = _cleaned(material)
        data = json.dumps(pieces, ensure_ascii=False)
        schema = _without_descriptions(form.model_json_schema())
        wanted = f"{system}\n\nAnswer with one JSON object of this schema and nothing else:\n{json.dumps(schema)}"
        hidden = fence_system_text(wanted, session_tag(self._secret, session))
        async with self._turn():
            started = self._clock.monotonic()
            content = await self._content(hidden, data, schema)
            seconds = self._clock.monotonic() - started
        answer = _parse_answer(content, form, self._settings.max_tokens)
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
        return Completion(answer, dangers, round(seconds, 3))

    async def probe(self) -> float:
        """Seconds that a small question takes; raises like `complete`."""
        system = "You are given a number as JSON. Answer with that number."
        return (await self.complete(system, {"number": "7"}, _Number, session="probe")).seconds

    async def _content(self, hidden: str, data: str, schema: dict[str, Any]) -> str:
        """The model's own words; a server that fails begins a rest."""
        request = {
            "model": self.model_id,
            "messages": [{"role": "system", "content": hidden}, {"role": "user", "content": data}],
            "temperature": 0,
            "seed": 0,
            "max_tokens": self._settings.max_tokens,
            "stream": False,
        }
        try:
            content = _content_of(await self._ask(request, schema), self.model_id)
        except ModelError as exc:
            self._start_backoff(exc)
            raise
        self._failures, self._failure = 0, None
        return content

    async def _ask(self, request: dict[str, Any], schema: dict[str, Any]) -> HttpReply:
        """With the schema where the server takes one; one that refuses it is asked for any JSON object."""
        timeout_s = self._settings.timeout_s
        if self._takes_schema:
            form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
            reply = await post_json(self._url, {**request, "response_format": form}, timeout_s)
            if reply.status != 400:
                return reply
        reply = await post_json(self._url, {**request, "response_format": {"type": "json_object"}}, timeout_s)
        self._takes_schema = self._takes_schema and reply.status != 200
        return reply

    def _start_backoff(self, failure: ModelError) -> None:
        self._failures += 1
        self._failure = failure
        rest_s = min(_BACKOFF_S * 2 ** (self._failures - 1), _MAX_BACKOFF_S)
        self._retry_at = self._clock.monotonic() + rest_s

    def _refuse_during_backoff(self) -> None:
        if self._failure is not None and self._clock.monotonic() < self._retry_at:
            raise ModelError(self._failure.message, remedy=self._failure.remedy)


def _cleaned(material: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Every piece sanitised, all together within L2's limit: what comes first is kept first."""
    left = MAX_PROMPT_CHARS
    pieces: dict[str, str] = {}
    dangers: dict[str, None] = {}
    for name, text in material.items():
        cleaned = sanitise(text, left)
        pieces[name] = cleaned.text
        left -= len(cleaned.text)
        dangers.update(dict.fromkeys(cleaned.dangers))
    return pieces, tuple(dangers)


def _content_of(reply: HttpReply, model: str) -> str:
    """The text of the first choice; `ModelError` where the server gave none. Its own words are not repeated (L8)."""
    if reply.status != 200:
        raise _refused(reply.status, model)
    try:
        content = from_json(reply.body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError) as exc:
        raise ModelError(
            "The server at llm.endpoint does not answer like an OpenAI-compatible one.",
            remedy="Check llm.endpoint: Ollama, llama.cpp, LM Studio and vLLM serve below /v1.",
        ) from exc
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
        return ModelError(f"The LLM server asks for a key ({status}).", remedy="Start it without one: it is local.")
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
        raise _unreadable(f"The LLM's answer does not have the form asked for ({where}: {first['type']}).") from None


def _unreadable(message: str) -> UnreadableAnswer:
    return UnreadableAnswer(message, remedy="A larger model in llm.model keeps to the form more often.")


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
