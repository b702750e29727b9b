"""The data of an engine: how it is asked and where its page keeps results, read from `engines/*.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from lyra.search.query import Operator, QueryDialect, Sign


class Transport(StrEnum):
    """Plain HTTP serves engines with plain HTML; the others need the user's browser (SPEC §3)."""

    HTTP = "http"
    BROWSER = "browser"


@dataclass(frozen=True, slots=True)
class Redirect:
    """A link through the engine: on `host` or below it, from `path` on, the real address is in `parameter`."""

    host: str
    path: str
    parameter: str
    encoding: str = "plain"


@dataclass(frozen=True, slots=True)
class Selectors:
    """CSS selectors in order of preference: the first that matches is used."""

    container: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    snippet: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    in_following_siblings: bool = False


@dataclass(frozen=True, slots=True)
class Paging:
    """How further pages are asked for: `parameter` is `origin` on the first and grows by `step` with each."""

    parameter: str
    origin: int
    step: int

    def value(self, page: int) -> str:
        return str(self.origin + self.step * (page - 1))


@dataclass(frozen=True, slots=True)
class Marker:
    """A sign on a page: a selector that matches, words in its visible text, or a string in its source.

    `kind` names what a person could do about it (`captcha`, `consent`, `script`, `login`); none where nothing helps.
    Guards that any site may have are recognised when a page is fetched; these are signs of one engine's own.
    """

    css: str | None = None
    words: str | None = None
    source: str | None = None
    kind: str | None = None

    def __str__(self) -> str:
        if self.css:
            return f"selector {self.css!r}"
        return f"words {self.words!r}" if self.words else f"source {self.source!r}"


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """Everything that distinguishes one engine from another."""

    id: str
    address: str
    parameters: tuple[tuple[str, str], ...]
    method: str
    weight: float
    transport: Transport
    hosts: tuple[str, ...]
    dialect: QueryDialect
    selectors: Selectors
    roots: tuple[str, ...]
    redirects: tuple[Redirect, ...]
    blocked: tuple[Marker, ...]
    empty: tuple[Marker, ...]
    altered: tuple[Marker, ...]
    paging: Paging | None = None
    quota_per_day: int | None = None
    is_last_mile: bool = False
    strengths: tuple[tuple[str, float], ...] = ()


def load_engine_specs(folder: Traversable | None = None) -> dict[str, EngineSpec]:
    """Every engine described in the folder, by id."""
    import yaml  # lazy: not needed by callers that only name engines

    directory = folder or files("lyra.search").joinpath("engines")
    described = sorted((entry for entry in directory.iterdir() if entry.name.endswith(".yaml")), key=lambda e: e.name)
    specs = (_spec(yaml.safe_load(entry.read_text(encoding="utf-8"))) for entry in described)
    return {spec.id: spec for spec in specs}


def _spec(data: Mapping[str, Any]) -> EngineSpec:
    page = data.get("page", {})
    return EngineSpec(
        id=data["id"],
        address=data["address"],
        parameters=tuple(data["parameters"].items()),
        method=data.get("method", "GET"),
        weight=float(data["weight"]),
        transport=Transport(data["transport"]),
        hosts=tuple(data["hosts"]),
        dialect=QueryDialect(
            operators=frozenset(Operator(name) for name in data.get("operators", ())),
            signs=frozenset(Sign(sign) for sign in data.get("signs", ())),
            max_chars=data.get("max_chars", 400),
        ),
        selectors=_selectors(page),
        roots=tuple(page.get("roots", ())),
        redirects=tuple(Redirect(**entry) for entry in data.get("redirects", ())),
        blocked=tuple(Marker(**entry) for entry in page.get("blocked", ())),
        empty=tuple(Marker(**entry) for entry in page.get("empty", ())),
        altered=tuple(Marker(**entry) for entry in page.get("altered", ())),
        paging=Paging(**data["paging"]) if "paging" in data else None,
        quota_per_day=data.get("quota_per_day"),
        is_last_mile=data.get("last_mile", False),
        strengths=tuple((name, float(factor)) for name, factor in data.get("strengths", {}).items()),
    )


def _selectors(page: Mapping[str, Any]) -> Selectors:
    names = ("container", "link", "title", "snippet", "date", "drop")
    fields = {name: tuple(page.get(name, ())) for name in names}
    return Selectors(**fields, in_following_siblings=page.get("in_following_siblings", False))
