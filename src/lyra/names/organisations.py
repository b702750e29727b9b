"""The name of an organisation without its legal form, which stands before or behind it in many writings."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from lyra.text import nfkc
from lyra.word_lists import word_lists

_DROPPED = re.compile(r"[\s\W_]+", re.UNICODE)
_POINT = re.compile(r"(?<=\w)\.(?=\w|\s|,|$)|,")
_LATIN = re.compile(r"[A-Za-z]")


class FormPlace(StrEnum):
    """Where the legal form stands. 前株 and 後株 are two companies, as a rule."""

    BEFORE = "before"
    AFTER = "after"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class OrganisationName:
    """`core` is the name in normal form without its legal form; `key` compares it."""

    core: str
    form: str | None
    place: FormPlace

    @property
    def key(self) -> str:
        return name_key(self.core)


def read_organisation(name: str) -> OrganisationName:
    """A name as it is written anywhere, taken apart."""
    text = " ".join(nfkc(name).split())
    for place in (FormPlace.BEFORE, FormPlace.AFTER):
        found = _form_at(text, place)
        if found is not None:
            form, core = found
            return OrganisationName(core, form, place)
    return OrganisationName(text, None, FormPlace.NONE)


def name_key(name: str) -> str:
    """Letters and digits, whatever the case, width, accents, blanks and punctuation."""
    folded = unicodedata.normalize("NFKD", nfkc(name).replace("&", " and ")).casefold()
    kept = "".join(char for char in folded if not unicodedata.combining(char) or char in "\u3099\u309a")
    return _DROPPED.sub("", unicodedata.normalize("NFKC", kept))


def organisation_key(name: str) -> str:
    """By what two names of one organisation are equal; a name that is nothing but a form keeps it."""
    return read_organisation(name).key or name_key(name)


def person_key(name: str) -> str:
    """By what two names of one person are equal: in Latin letters whichever of the names comes first."""
    if not _LATIN.search(nfkc(name)):
        return name_key(name)
    return "".join(sorted(key for word in re.split(r"[\s,]+", nfkc(name)) if (key := name_key(word))))


def _form_at(text: str, place: FormPlace) -> tuple[str, str] | None:
    """The legal form at one end and the rest; none where the rest would be empty."""
    for written, form in _japanese_forms():
        if place is FormPlace.BEFORE and text.startswith(written):
            rest = text[len(written) :].strip()
        elif place is FormPlace.AFTER and text.endswith(written):
            rest = text[: -len(written)].strip()
        else:
            continue
        return (form, rest) if rest else None
    return _latin_form(text) if place is FormPlace.AFTER and _LATIN.search(text) else None


def _latin_form(text: str) -> tuple[str, str] | None:
    plain = " ".join(_POINT.sub(lambda found: " " if found[0] == "," else "", text).split())
    folded = plain.casefold()
    for written, form in _latin_forms():
        if folded.endswith(f" {written}"):
            rest = plain[: -len(written)].strip(" ,&")
            return (form, rest) if rest else None
    return None


@cache
def _japanese_forms() -> tuple[tuple[str, str], ...]:
    return _longest_first("ja")


@cache
def _latin_forms() -> tuple[tuple[str, str], ...]:
    return _longest_first("en")


def _longest_first(language: str) -> tuple[tuple[str, str], ...]:
    forms = word_lists("lyra.names", "organisations", language).groups("forms")
    pairs = [(written, form) for form, writings in forms.items() for written in writings]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))
