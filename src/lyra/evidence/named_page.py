"""What tells whose page a passage stands on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page by its title, its address and its text."""

    title: str = ""
    url: str = ""
    text: str = ""
