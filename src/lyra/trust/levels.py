"""The trust level of a domain (overrides, then what was learnt, then the packaged list), and promotions to low."""

import math
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from lyra.errors import SettingsError
from lyra.model.claim import Assessment, RefutationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel, TrustOrigin, TrustPromotion
from lyra.urls import host_of, is_public_suffix, is_web_url, registrable_domain, wire_host

_SECTION = "user_overrides"
_MOST_QPS = 1_000.0
_NAME = re.compile(r"[^\s/:*?#@]+")
_REMEDY = "Correct the file: every entry of user_overrides needs a domain and a trust_level, a qps, or both."


@dataclass(frozen=True, slots=True)
class TrustEntry:
    """A level and why a domain has it. `pattern` is the entry that decided, empty where none did."""

    level: TrustLevel
    reason: str
    pattern: str = ""
    is_override: bool = False

    @property
    def origin(self) -> TrustOrigin:
        """Who decided."""
        if self.is_override:
            return TrustOrigin.OVERRIDE
        if self.pattern:
            return TrustOrigin.LIST
        return TrustOrigin.NONE if self is UNLISTED else TrustOrigin.LEARNED


@dataclass(frozen=True, slots=True)
class _UserList:
    """What the user's file says: levels by name, and requests a second by registrable domain."""

    levels: Mapping[str, TrustEntry]
    rates: Mapping[str, float]


UNLISTED = TrustEntry(TrustLevel.UNVERIFIED, reason="The domain is on no list.")


class TrustList:
    """The packaged list and the user's `domains.yaml`, which is read again whenever it has changed.

    A file that is broken when Lyra starts is an error; one that is broken later leaves the last good one in force
    and says so in `problem`.
    """

    def __init__(self, user_file: Path) -> None:
        self._user_file = user_file
        self._stamp = _stamp(user_file)
        self._user = _read(user_file)
        self.problem: str | None = None

    def level_of(self, domain: str, learned: TrustLevel | None = None) -> TrustLevel:
        """The level of a host or registrable domain; `learned` is the level kept for it in the database."""
        return self.explain(domain, learned).level

    def explain(self, domain: str, learned: TrustLevel | None = None) -> TrustEntry:
        """The level with its reason: override, then a learnt block, then the list, then a learnt promotion."""
        return self.override_of(domain) or self.otherwise(domain, learned)

    def override_of(self, domain: str) -> TrustEntry | None:
        """The user's override that holds for the domain, if any."""
        self._refresh()
        return _match(_host(domain), self._user.levels)

    def otherwise(self, domain: str, learned: TrustLevel | None = None) -> TrustEntry:
        """The level that the domain would have without the user's override."""
        host = _host(domain)
        if learned is TrustLevel.BLOCKED:
            return TrustEntry(learned, "The domain was blocked for a dangerous pattern.")
        if (listed := _match(host, _packaged())) is not None:
            return listed
        if learned is TrustLevel.LOW:
            return TrustEntry(learned, "Independent sources corroborated a claim of this domain.")
        return UNLISTED

    def overrides(self) -> Mapping[str, TrustEntry]:
        """The user's overrides now in force, by domain."""
        self._refresh()
        return dict(self._user.levels)

    def qps_of(self, domain: str) -> float | None:
        """Requests a second that the user allows a domain, or its parent; None where the file has no entry."""
        self._refresh()
        rates = self._user.rates
        return next((rates[key] for key in _keys(_host(domain)) if key in rates), None)

    def _refresh(self) -> None:
        stamp = _stamp(self._user_file)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._user = _read(self._user_file)
            self.problem = None
        except SettingsError as exc:
            self.problem = exc.message


def _host(domain: str) -> str:
    return host_of(domain) if "://" in domain else wire_host(domain).strip(".")


def _match(host: str, entries: Mapping[str, TrustEntry]) -> TrustEntry | None:
    return next((entries[key] for key in _keys(host) if key in entries), None)


def _keys(host: str) -> Iterator[str]:
    """The host and its parents, each followed by its form for any country: a.gov.uk, gov.uk, gov.*, uk.

    Anyone might own a second-level `gov` where that is not reserved, so it must be a public suffix.
    """
    labels = host.split(".")
    for start in range(len(labels)):
        parent = labels[start:]
        yield ".".join(parent)
        if len(parent) == 2 and len(parent[1]) == 2 and is_public_suffix(".".join(parent)):
            yield f"{parent[0]}.*"


@cache
def _packaged() -> Mapping[str, TrustEntry]:
    listed = yaml.safe_load(files("lyra.trust").joinpath("domains.yaml").read_text("utf-8"))
    return {
        pattern: TrustEntry(TrustLevel(level), reason=f"Listed as {level} ({pattern}).", pattern=pattern)
        for level, patterns in listed.items()
        for pattern in patterns
    }


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file does: modification time and size; none where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class _Loader(yaml.SafeLoader):
    """Refuses a name that is given twice, of which YAML would silently keep the last."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                problem = f"{key.value[:60]!r} is given twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen |= {key.value} if isinstance(key, yaml.ScalarNode) else set()
        return super().construct_mapping(node, deep)


def _read(path: Path) -> _UserList:
    try:
        return read_overrides(path.read_text("utf-8"), path)
    except FileNotFoundError:
        return _UserList({}, {})
    except (OSError, UnicodeDecodeError) as exc:
        raise SettingsError(f"The domain list {path} cannot be read: {exc}.", remedy=_REMEDY) from exc


def override_host(domain: str) -> str:
    """The host that an override for this name or address is for. Raises SettingsError where it is not a domain."""
    return _entry_host({"domain": domain}, Path("domains.yaml"))


def read_overrides(text: str, path: Path) -> _UserList:
    """What a text says as the file at `path`. Raises SettingsError where it is broken."""
    try:
        values = yaml.load(text, Loader=_Loader)
    except (ValueError, RecursionError, yaml.YAMLError) as exc:  # ValueError: the 99th of March
        raise SettingsError(f"The domain list {path} cannot be read: {exc}.", remedy=_REMEDY) from exc
    section = values.get(_SECTION) if isinstance(values, dict) else values
    _check_sections(values, path)
    if section is None:
        return _UserList({}, {})
    if not isinstance(section, list):
        raise SettingsError(f"The domain list {path} has no list under user_overrides.", remedy=_REMEDY)
    levels: dict[str, TrustEntry] = {}
    rates: dict[str, float] = {}
    for item in section:
        host = _entry_host(item, path)
        if "qps" in item:
            # A domain is asked as a whole: of several rates for its hosts the gentlest holds.
            whole = registrable_domain(host)
            rates[whole] = min(_rate(item, path), rates.get(whole, math.inf))
        if "trust_level" in item or "qps" not in item:
            levels[host] = _override(item, host, path)
    return _UserList(levels, rates)


def _check_sections(values: Any, path: Path) -> None:
    """Other sections are other parts' own; one that was meant for overrides must not pass unread."""
    names = values if isinstance(values, dict) else ()
    meant = [str(name) for name in names if name != _SECTION and "override" in str(name).lower()]
    if meant:
        raise SettingsError(f"The domain list {path} has a section {meant[0]!r}.", remedy=f"Call it {_SECTION}.")


def _entry_host(item: Any, path: Path) -> str:
    """The host an entry is for; `*.example.com` is `example.com`, whose hosts an entry covers anyway."""
    domain = item.get("domain") if isinstance(item, dict) else None
    name = domain if isinstance(domain, str) and ("://" not in domain or is_web_url(domain)) else ""
    host = _host(name).removeprefix("*.")
    if not host:
        raise SettingsError(f"The domain list {path} has an override without a domain: {_shown(item)}.", remedy=_REMEDY)
    if not _NAME.fullmatch(host):
        raise SettingsError(
            f"The domain list {path} has an override for {_shown(domain)}, which is not a domain.",
            remedy="Give a name such as example.com, without path, port or wildcard.",
        )
    return host


def _shown(value: Any) -> str:
    """The beginning of a value: aliases in YAML can make a value of gigabytes."""
    return reprlib.repr(value)[:100]


def _rate(item: Mapping[str, Any], path: Path) -> float:
    """Requests a second, more than none; a word, a truth value or an endless number is the user's slip."""
    qps = item["qps"]
    if isinstance(qps, bool) or not isinstance(qps, int | float) or not 0 < qps <= _MOST_QPS:
        raise SettingsError(
            f"The domain list {path} gives {item['domain']} the qps {_shown(qps)}.",
            remedy="Give requests a second as a number above 0, such as 0.1 for one in ten seconds.",
        )
    return float(qps)


def _override(item: Mapping[str, Any], host: str, path: Path) -> TrustEntry:
    try:
        level = TrustLevel(item["trust_level"].lower())
    except (ValueError, KeyError, AttributeError):
        raise SettingsError(
            f"The domain list {path} gives {item['domain']} the unknown trust_level {_shown(item.get('trust_level'))}.",
            remedy=f"Choose one of {', '.join(TrustLevel)}.",
        ) from None
    reason = item.get("reason")
    told = reason if isinstance(reason, str) and reason else "The user set this level."
    return TrustEntry(level, told, host, is_override=True)


# SPEC §13: two independent sources where one is above low, otherwise three.
SOURCES_WITH_ONE_ABOVE_LOW = 2
SOURCES_ALL_LOW = 3
_SOURCES_NAMED = 5


def trust_promotions(assessment: Assessment, rows: Iterable[tuple[EvidenceRow, str]]) -> list[TrustPromotion]:
    """The domains below trusted that support the claim, by name, where its support suffices.

    `rows` are the claim's evidence, each with the name of its independent source.
    """
    if assessment.refutation_status is RefutationStatus.FOUND:
        return []
    voting = [(row, source) for row, source in rows if row.relation is Relation.SUPPORTS and not row.no_vote]
    sources = tuple(sorted({source for _, source in voting}))
    above = tuple(sorted({source for row, source in voting if row.source_trust_level.weight > TrustLevel.LOW.weight}))
    if len(sources) < (SOURCES_WITH_ONE_ABOVE_LOW if above else SOURCES_ALL_LOW):
        return []
    reason = _promotion_reason(sources, above)
    lifted = {row.domain for row, _ in voting if row.source_trust_level in (TrustLevel.UNVERIFIED, TrustLevel.LOW)}
    return [TrustPromotion(domain, assessment.claim_id, sources, reason=reason) for domain in sorted(lifted)]


def _promotion_reason(sources: tuple[str, ...], above: tuple[str, ...]) -> str:
    named = [*above, *(one for one in sources if one not in above)]
    more = f" and {len(named) - _SOURCES_NAMED} more" if len(named) > _SOURCES_NAMED else ""
    shown = ", ".join(one.removeprefix("domain:").removeprefix("work:") for one in named[:_SOURCES_NAMED])
    standing = f", {len(above)} above low" if above else ""
    return f"A claim it supports has {len(sources)} independent sources{standing}: {shown}{more}."
