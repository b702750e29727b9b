"""How strictly a request is looked at: the method, every parameter by name, the key."""

from __future__ import annotations

from collections.abc import Mapping

from simweb.messages import Request


class RefusedError(Exception):
    """A request that the service does not take, with the status it answers."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def parameters(request: Request, required: set[str], optional: set[str] | None = None) -> Mapping[str, str]:
    """The parameters of a GET, where it has all that are required and none that are unknown."""
    if request.method != "GET":
        raise RefusedError(f"the method {request.method} is not taken", 405)
    found = request.parameters()
    missing, unknown = required - found.keys(), found.keys() - required - (optional or set())
    empty = {name for name in required & found.keys() if not found[name].strip()}
    for problem, names in (("missing", missing | empty), ("unknown", unknown)):
        if names:
            raise RefusedError(f"{problem} parameter: {', '.join(sorted(names))}")
    return found


def limit(text: str, most: int) -> int:
    """How many records are wanted; a service that takes at most so many refuses more."""
    if not text.isdigit() or not 1 <= int(text) <= most:
        raise RefusedError(f"{text} is no number from 1 to {most}")
    return int(text)


def require_header(request: Request, name: str, value: str, status: int = 401) -> None:
    if request.headers.get(name) != value:
        raise RefusedError(f"the header {name} is missing or wrong", status)


def accepts(request: Request, *types: str) -> None:
    """The client must say that it takes what the service gives."""
    wanted = request.headers.get("accept", "")
    if not any(one in wanted for one in types):
        raise RefusedError(f"not acceptable: {wanted}", 406)
