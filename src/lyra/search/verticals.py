"""Fixed queries for kinds of questions, as data: the client names one, Lyra puts his words into them."""

from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from lyra.model.search import Vertical


def templates(vertical: Vertical) -> Mapping[str, tuple[str, ...]]:
    """The queries of a vertical by language, `{query}` standing for the client's."""
    return {language: tuple(_read()[vertical][language]) for language in ("ja", "en")}


def sites(vertical: Vertical, languages: Collection[str | None]) -> tuple[str, ...]:
    """Hosts that answer in one of these languages and that a vertical searches through their own form, where the
    allow-list has them."""
    found = (host for language, hosts in _read()[vertical]["sites"].items() if language in languages for host in hosts)
    return tuple(dict.fromkeys(found))


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    import yaml  # lazy: only searches that name a vertical need it

    source = files("lyra.search").joinpath("verticals.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Mapping[str, Any]] = yaml.safe_load(source)
    return loaded
