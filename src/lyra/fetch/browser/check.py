"""One finding about the browser or its profile."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """`is_fine` false means something that should be mended; `is_repaired` that it just was."""

    name: str
    is_fine: bool
    detail: str
    remedy: str | None = None
    is_repaired: bool = False
