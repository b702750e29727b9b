"""What tells whose page a passage stands on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page by its title, its address, its text and what it declares its site to be called."""

    title: str = ""
    url: str = ""
    text: str = ""
    site_name: str = ""
