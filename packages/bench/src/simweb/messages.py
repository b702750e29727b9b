"""The request and response values that hosts of the simulated web exchange with the proxy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self
from urllib.parse import parse_qs, urlsplit

Exit = Literal["direct", "tor"]


@dataclass(frozen=True)
class Request:
    """One HTTP request; header names are lower case, `target` is path and query.

    `exit` is the network it came out of; `circuit` the user name that a SOCKS client gave to keep streams apart.
    """

    method: str
    scheme: str
    host: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    exit: Exit = "direct"
    circuit: str = ""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path or "/"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.target}"

    def parameters(self) -> dict[str, str]:
        """Query parameters and, for a form, the posted ones; the last of several wins."""
        pairs = parse_qs(urlsplit(self.target).query, keep_blank_values=True)
        if self.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            pairs |= parse_qs(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        return {name: values[-1] for name, values in pairs.items()}


@dataclass(frozen=True)
class Response:
    """One HTTP response and how the wire carries it.

    `announced_bytes` is a content length that is not the body's; an endless response repeats its body until the
    client goes; one with `drip_s` waits so long after every `drip_bytes`.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay_s: float = 0.0
    cut_after_bytes: int | None = None
    is_reset: bool = False
    announced_bytes: int | None = None
    is_endless: bool = False
    drip_s: float = 0.0
    drip_bytes: int = 0

    @classmethod
    def html(cls, text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Self:
        return cls(status, {"content-type": "text/html; charset=utf-8", **(headers or {})}, text.encode())

    @classmethod
    def text(cls, text: str, status: int = 200, content_type: str = "text/plain; charset=utf-8") -> Self:
        return cls(status, {"content-type": content_type}, text.encode())

    @classmethod
    def redirect(cls, location: str, status: int = 301) -> Self:
        return cls(status, {"location": location, "content-type": "text/html; charset=utf-8"})

    def with_body(self, body: bytes) -> Self:
        return replace(self, body=body)

    def with_headers(self, **headers: str) -> Self:
        """A copy with more headers; underscores in names stand for hyphens."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, headers={**self.headers, **more})
