"""What screens share: the open Lyra of a request, numbers in addresses, and parts of long lists."""

from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse

from lyra.app import Lyra
from lyra.loopback import PERSON_KEY

_MAX_PAGE = 100_000


class BeyondLastPart(Exception):
    """An address asks for a part behind the end of a list; `last` is its last part."""

    def __init__(self, last: int) -> None:
        super().__init__(f"The list ends with part {last}.")
        self.last = last


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a long list; parts are counted from 1."""

    number: int
    size: int
    total: int = 0

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.size

    def of(self, total: int) -> "Part":
        """The part of a list of this length. Raises BeyondLastPart where the list ends before it."""
        part = replace(self, total=total)
        if part.number > part.last:
            raise BeyondLastPart(part.last)
        return part

    @property
    def last(self) -> int:
        return max(1, -(-self.total // self.size))


def lyra_of(request: Request) -> Lyra:
    """The open Lyra that this dashboard shows, as the person who asks sees it."""
    lyra: Lyra = request.app.state.lyra
    return lyra.seen_by(request.scope[PERSON_KEY])


def part_of(request: Request, size: int) -> Part:
    """The part of a list that the address asks for; the first where it names none."""
    text = request.query_params.get("part", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
    return Part(min(max(number, 1), _MAX_PAGE), size)


def not_found() -> HTTPException:
    """Raised for what an address names and is not there."""
    return HTTPException(404)


def see(path: str) -> RedirectResponse:
    """After a form: load this page. A path of our own, whatever was asked for."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\"))
    return RedirectResponse(path if is_own else "/", status_code=303)
