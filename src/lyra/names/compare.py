"""How likely two descriptions are of one organisation, person or domain, and what speaks for and against it.

The weights are judgement, not measurement: equal official numbers decide, equal names alone do not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lyra.names.addresses import read_address
from lyra.names.identifiers import UNIQUE_SCHEMES, NamedIdentifier
from lyra.names.organisations import FormPlace, OrganisationName, name_key, person_key, read_organisation

_CERTAIN = 0.99
_EXCLUDED = 0.01
_SAME_NAME = 0.6
_SAME_ALIAS = 0.5
_MOST_BY_NAME = 0.95


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """What is known of one entity: its names, the main one first, official numbers, addresses and own domains."""

    kind: str
    names: tuple[str, ...]
    identifiers: tuple[NamedIdentifier, ...] = ()
    addresses: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SameEntity:
    """The estimate with its reasons, for and against."""

    score: float
    reasons: tuple[str, ...]


def same_entity(one: EntityProfile, other: EntityProfile) -> SameEntity:
    """An estimate from 0 to 1; two kinds are never one."""
    if one.kind != other.kind:
        return SameEntity(0.0, (f"kinds differ: {one.kind} and {other.kind}",))
    decided = _by_numbers(one.identifiers, other.identifiers)
    if decided is not None:
        return decided
    score, reasons = _by_names(one, other)
    if score == 0.0:
        return SameEntity(0.0, tuple(reasons))
    for weight, reason in (*_by_addresses(one, other), *_by_domains(one, other)):
        score += weight
        reasons.append(reason)
    return SameEntity(round(min(max(score, _EXCLUDED), _MOST_BY_NAME), 2), tuple(reasons))


def _by_numbers(one: Iterable[NamedIdentifier], other: Iterable[NamedIdentifier]) -> SameEntity | None:
    ours = {number.scheme: number.value for number in one}
    theirs = {number.scheme: number.value for number in other}
    shared = sorted(ours.keys() & theirs.keys())
    for scheme in shared:
        if ours[scheme] == theirs[scheme]:
            return SameEntity(_CERTAIN, (f"same {scheme}: {ours[scheme]}",))
    for scheme in shared:
        if scheme in UNIQUE_SCHEMES:
            return SameEntity(_EXCLUDED, (f"another {scheme}: {ours[scheme]} and {theirs[scheme]}",))
    return None


def _by_names(one: EntityProfile, other: EntityProfile) -> tuple[float, list[str]]:
    if one.kind != "organisation":
        key_of = person_key if one.kind == "person" else name_key
        keys = {key_of(name) for name in one.names} & {key_of(name) for name in other.names} - {""}
        return (_SAME_NAME, [f"same name: {one.names[0]}"]) if keys else (0.0, ["no name in common"])
    ours, theirs = ([read_organisation(name) for name in profile.names] for profile in (one, other))
    pair = next(((a, b) for a in ours for b in theirs if a.key and a.key == b.key), None)
    if pair is None:
        return 0.0, ["no name in common"]
    is_main = pair == (ours[0], theirs[0])
    word = "same name without its legal form" if is_main else "same name among the others it goes by"
    score, reasons = _by_form(*pair)
    return (_SAME_NAME if is_main else _SAME_ALIAS) + score, [f"{word}: {pair[0].core}", *reasons]


def _by_form(one: OrganisationName, other: OrganisationName) -> tuple[float, list[str]]:
    if one.form is None or other.form is None:
        return 0.0, []
    if one.form != other.form:
        return -0.2, [f"another legal form: {one.form} and {other.form}"]
    if one.place is not other.place and FormPlace.NONE not in (one.place, other.place):
        return -0.1, [f"{one.form} stands {one.place} one name and {other.place} the other"]
    return 0.1, [f"same legal form: {one.form}"]


def _by_addresses(one: EntityProfile, other: EntityProfile) -> list[tuple[float, str]]:
    ours, theirs = ([read_address(text) for text in profile.addresses] for profile in (one, other))
    if not ours or not theirs:
        return []
    same = {address.key for address in ours} & {address.key for address in theirs}
    if same:
        return [(0.25, f"same address: {one.addresses[0]}")]
    near = {address.prefecture for address in ours} & {address.prefecture for address in theirs} - {None}
    if near:
        return [(0.1, f"same prefecture: {near.pop()}")]
    known = all(address.prefecture for address in (*ours, *theirs))
    return [(-0.15, "another prefecture")] if known else []


def _by_domains(one: EntityProfile, other: EntityProfile) -> list[tuple[float, str]]:
    shared = sorted(set(one.domains) & set(other.domains))
    return [(0.25, f"same domain: {shared[0]}")] if shared else []
