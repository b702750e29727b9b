"""What tells whose page a passage stands on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page by its title, its address, its text, what it declares its site to be called, and its authors."""

    title: str = ""
    url: str = ""
    text: str = ""
    site_name: str = ""
    authors: tuple[str, ...] = ()
