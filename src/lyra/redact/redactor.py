"""Takes secrets out of addresses, headers and texts and puts a keyed hash there, so that look-up still works. Pure.

The same secret gives the same hash under the same key: an address that was redacted is found by redacting what is
looked for. Without a key, which only this data directory has, nobody can try out what stood there.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from lyra.redact.shapes import is_secret, known_tokens, looks_random, webhook_secret

# Which rules these are. Raised where they find more: what was kept under fewer is then gone through again.
RULES = 4
REDACTED = "redacted"
_HASH_CHARS = 16
_HASHED = re.compile(rf"{REDACTED}-[0-9a-f]{{{_HASH_CHARS}}}")
_ALREADY = re.compile(rf"{REDACTED}(?:-[0-9a-f]{{{_HASH_CHARS}}})?")
# Shorter values would also strike innocent text.
_SHORTEST_SECRET = 8
_DEEPEST = 3
_URL = re.compile(r"(?:https?|wss?|s?ftps?)://[^\s\"'<>\x00-\x1f\x7f]+", re.IGNORECASE)
_PATH_NAMES = re.compile(
    r"^(?:token|reset(?:-?password)?|password-?reset|magic(?:-?link)?|verify|confirm|activate|unsubscribe|invite"
    r"|invitation|share(?:-?key)?|services|webhooks?|hooks)$",
    re.IGNORECASE,
)
_LEAST_IN_PATH = 20
_SECRET_HEADERS = frozenset("authorization proxy-authorization cookie set-cookie set-cookie2 from dpop".split())
# Where a browser is told to report to: JSON or a list of addresses, of which a site makes one for each visitor.
_REPORT_HEADERS = frozenset({"report-to", "reporting-endpoints"})
_REPORT_PAIR = re.compile(r"(?<=[?&])([^=&\"\s]+)=([^&\"\s]+)")
_URL_HEADERS = frozenset("referer location content-location refresh".split())
# Digests and ids of answers, which name nobody.
_PLAIN_HEADERS = frozenset(
    "etag if-none-match x-request-id x-amz-request-id x-amz-id-2 cf-ray sec-websocket-key content-md5 digest "
    "x-goog-hash access-control-allow-credentials access-control-request-headers access-control-allow-headers "
    "access-control-expose-headers vary".split()
)
# What a value holds inside: names and values of JSON, or pairs as in a query.
_JSON_PAIR = re.compile(r'"([^"\\]{1,100})"(\s*:\s*)(?:"((?:[^"\\]|\\.)*+)"|(\d+))')
_PAIRS = re.compile(r"[\w.\[\]-]{1,64}=[^&\s]*(?:&[\w.\[\]-]{1,64}=[^&\s]*)*")
_FORM_PAIR = re.compile(r"[^=&]{1,200}=[^&]*(?:&[^=&]{1,200}=[^&]*)*")


@dataclass(frozen=True, slots=True)
class Redactor:
    """Redacts with the key given; without one, secrets are only struck out. `known` are the user's own, by value."""

    key_of: Callable[[], bytes] = bytes
    known: tuple[str, ...] = ()

    def with_known_secrets(self, secrets: Iterable[str]) -> "Redactor":
        """The same, also taking out these values wherever they stand; short ones would strike innocent text."""
        return Redactor(self.key_of, (*self.known, *(one for one in secrets if len(one) >= _SHORTEST_SECRET)))

    def mask(self, secret: str) -> str:
        """What stands in a secret's place."""
        if _ALREADY.fullmatch(secret):
            return secret
        key = self.key_of()
        if not key:
            return REDACTED
        digest = hmac.new(key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"{REDACTED}-{digest[:_HASH_CHARS]}"

    def url(self, url: str) -> str:
        """The address without secrets in it; the rest stays byte for byte."""
        return self.values(self._url(url, _DEEPEST))

    def text(self, text: str) -> str:
        """The text without secrets: in addresses, tokens of a known form, the user's own keys."""
        if len(text) < _SHORTEST_SECRET:
            return text
        found = _URL.sub(lambda match: self._url(match.group(), _DEEPEST), text)
        return self.values(self._tokens(found))

    def addresses(self, text: str) -> str:
        """The text without secrets in its addresses; all else stays."""
        return _URL.sub(lambda match: self.url(match.group()), text)

    def address(self, text: str) -> str:
        """The text without secrets where it is one address and nothing else."""
        return self.url(text) if _URL.fullmatch(text) else text

    def deep(self, value: Any) -> Any:
        """Plain data with every text in it redacted, names too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.deep(name): self.deep(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.deep(one) for one in value]
        return value

    def headers(self, headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Headers of a request or an answer without secrets."""
        return tuple((name, self._header(name.lower(), value)) for name, value in headers)

    def form(self, body: bytes) -> bytes:
        """The body of a request without secrets: fields of a form by name, else tokens of a known form."""
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return self.value_bytes(body)
        pairs = self._query(text, _DEEPEST) if _FORM_PAIR.fullmatch(text) else self._tokens(text)
        return self.values(pairs).encode()

    def values(self, text: str) -> str:
        """The text without the user's own keys."""
        for secret in self.known:
            text = text.replace(secret, self.mask(secret))
        return text

    def value_bytes(self, data: bytes) -> bytes:
        """The bytes without the user's own keys."""
        for secret in self.known:
            data = data.replace(secret.encode(), self.mask(secret).encode())
        return data

    def _url(self, url: str, depth: int) -> str:
        try:
            parts = urlsplit(url)
        except ValueError:
            return url.partition("?")[0]
        changed = parts._replace(
            netloc=self._netloc(parts.netloc),
            path=self._path(parts.path, parts.hostname or ""),
            query=self._query(parts.query, depth, parts.path),
            fragment=self._query(parts.fragment, depth, parts.path)
            if "=" in parts.fragment
            else self._tokens(parts.fragment),
        )
        return url if changed == parts else urlunsplit(changed)

    def _netloc(self, netloc: str) -> str:
        user, at, host = netloc.rpartition("@")
        return f"{self.mask(user)}@{host}" if at and user else netloc

    def _path(self, path: str, host: str) -> str:
        """Tokens of a known form, session ids behind a semicolon, what follows a word such as `reset`, webhooks."""
        if span := webhook_secret(host, path):
            start, end = span
            return f"{path[:start]}{self.mask(unquote(path[start:end]))}{path[end:]}"
        before = ""
        segments = []
        for segment in path.split("/"):
            name, *parameters = segment.split(";")
            segments.append(";".join([self._segment(before, name), *map(self._parameter, parameters)]))
            before = name if not _PATH_NAMES.match(before) or _PATH_NAMES.match(name) else before
        return "/".join(segments)

    def _segment(self, before: str, segment: str) -> str:
        if _PATH_NAMES.match(before) and looks_random(unquote(segment), _LEAST_IN_PATH):
            return self.mask(unquote(segment))
        return self._tokens(segment)

    def _parameter(self, parameter: str) -> str:
        name, equals, value = parameter.partition("=")
        return f"{name}={self.mask(value)}" if value and is_secret(name, value) else f"{name}{equals}{value}"

    def _query(self, query: str, depth: int, path: str = "") -> str:
        pairs = [pair.partition("=") for pair in query.split("&")]
        names = {unquote(name) for name, _, _ in pairs}
        return "&".join(f"{n}{equals}{self._value(n, v, names, depth, path)}" for n, equals, v in pairs)

    def _value(self, name: str, value: str, beside: set[str], depth: int, path: str) -> str:
        if not value:
            return value
        plain = unquote(value)
        if is_secret(name, value, beside, path) or known_tokens(plain):
            return self.mask(plain)
        clean = self._inside(plain, depth)
        if clean == plain:
            return value
        return clean if value == plain and "&" not in clean else quote(clean, safe="")

    def _inside(self, plain: str, depth: int) -> str:
        """A value without secrets in the address, JSON or pairs that it is, also where it was encoded once more."""
        if not depth:
            return plain
        if plain[:1] in ("{", "["):
            return _JSON_PAIR.sub(lambda pair: self._json_pair(pair, depth), plain)
        if "://" in plain or plain.startswith("/"):
            return self._url(plain, depth - 1)
        if _PAIRS.fullmatch(plain):
            return self._query(plain, depth - 1)
        again = unquote(plain)
        clean = self._inside(again, depth - 1) if again != plain else again
        return plain if clean == again else quote(clean, safe="")

    def _json_pair(self, pair: re.Match[str], depth: int) -> str:
        name, between, text, number = pair.groups()
        value = number if text is None else text
        is_one = is_secret(name, quote(value)) or bool(known_tokens(value))
        clean = self.mask(value) if is_one else self._inside(value, depth - 1)
        return pair[0] if clean == value else f'"{name}"{between}"{clean}"'

    def _tokens(self, text: str) -> str:
        for start, end in reversed(known_tokens(text)):
            text = text[:start] + self.mask(text[start:end]) + text[end:]
        return text

    def _header(self, name: str, value: str) -> str:
        if name in _SECRET_HEADERS:
            return self.mask(value)
        if name in _PLAIN_HEADERS:
            return self.values(value)
        if name in _URL_HEADERS:
            return self.values(self._tokens(self._url(value, _DEEPEST)))
        if name in _REPORT_HEADERS:
            return self.text(_REPORT_PAIR.sub(self._report_pair, value))
        return self.mask(value) if is_secret(name, value) else self.text(value)

    def _report_pair(self, pair: re.Match[str]) -> str:
        plain = unquote(pair[2])
        return f"{pair[1]}={self.mask(plain)}" if looks_random(plain) or is_secret(pair[1], pair[2]) else pair[0]


PLAIN = Redactor()


def public_url(url: str) -> str:
    """The address as it may leave the machine, the same on every other: secrets struck out, hashes of them too."""
    return _HASHED.sub(REDACTED, PLAIN.url(url))
