"""A scholarly work: one paper, however many addresses, versions and identifiers it has."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lyra.model.page import ArchiveRef, Identifier
from lyra.model.search import SearchOutcome
from lyra.text import nfkc

# What the keys of institutions begin with: those that a text credits, those whose page it stands on, and the last words
# of the names of sites.
CREDITED = "institution:"
OWN_PAGE = "own:"
SITE_ENDING = "ends:"
_UNPARTED = re.compile(r"[\u4e00-\u9fff々ヶ]{3,6}|[\u4e00-\u9fff々ヶ]{2,4}[\u3041-\u3096]{1,4}")


@dataclass(frozen=True, slots=True)
class Work:
    """Metadata merged from the academic APIs. `id` is canonical: doi:…, pmid:…, arxiv:… or a title key.

    `archive` is the record of the API's answer that holds the abstract; it is not stored with the work. `is_retracted`
    is none where no API has a word on it; `retracted_by` are those that call it retracted, joined by +.
    """

    id: str
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    published: str | None = None
    venue: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    url: str | None = None
    citation_count: int | None = None
    is_retracted: bool | None = None
    source_api: str = ""
    archive: ArchiveRef | None = None
    retracted_by: str = ""


@dataclass(frozen=True, slots=True)
class CitationLink:
    """`citing` cites `cited`; influence is the API's own flag."""

    citing: Work
    cited: Work
    is_influential: bool = False
    source_api: str = ""


@dataclass(frozen=True, slots=True)
class AcademicAnswer:
    """An academic API's answer, as honest about its outcome as an engine's."""

    api: str
    outcome: SearchOutcome
    works: tuple[Work, ...] = ()
    links: tuple[CitationLink, ...] = ()
    reason: str | None = None
    retry_after_s: float | None = None
    is_unreachable: bool = False


def identifier_key(kind: str, value: str) -> str:
    """The name by which a work is known as a source of evidence."""
    return f"work:{kind}:{value.lower()}"


def cited_key(name: str, year: int, *, is_person: bool = True) -> str:
    """A work by its first author's family name, or its institution, and its year."""
    return f"cited:{_plain(_family(name) if is_person else name)} {year}"


def person_key(name: str) -> str:
    """Who is quoted."""
    return f"person:{_plain(name)}"


def agency_key(name: str) -> str:
    """The news agency that is credited."""
    return f"agency:{_plain(name)}"


def institution_key(name: str) -> str:
    """The institution that is credited with what is said."""
    return f"{CREDITED}{_plain(name)}"


def own_key(name: str) -> str:
    """The institution whose own page it is."""
    return f"{OWN_PAGE}{_plain(name)}"


def site_keys(name: str) -> tuple[str, ...]:
    """Whose page it is by the name of the site, and the last word of that name."""
    plain = _plain(name)
    return (own_key(name), f"{SITE_ENDING}{plain.split()[-1]}") if plain else ()


def authors_key(first: str, second: str) -> str:
    """A work by the family names of its first two authors, without a year."""
    return f"authors:{_plain(_family(first))} {_plain(_family(second))}"


def work_keys(identifiers: Iterable[tuple[str, str]], authors: Sequence[str], year: int | None) -> tuple[str, ...]:
    """All that texts may call a work by: its identifiers, its first author and year, its first two authors, and any of
    its authors who speaks of it."""
    named = [identifier_key(kind, value) for kind, value in identifiers]
    named += [cited_key(name, year) for name in _names_of(authors[0])] if authors and year else []
    named += [authors_key(authors[0], authors[1])] if len(authors) > 1 else []
    return tuple(dict.fromkeys((*named, *(key for author in authors for key in author_keys(author)))))


def author_keys(author: str) -> list[str]:
    """How a person is called who is quoted: by the whole name; in Japanese also by the family name."""
    parts = [part for part in re.split(r"[\s,]+", author) if part]
    if "," in author:
        parts = parts[1:] + parts[:1]
    if len(parts) > 1:
        return [person_key(f"{parts[0]} {parts[-1]}")]
    return [person_key(name) for name in _names_of(author)]


def _names_of(name: str) -> list[str]:
    """The name, and what may be the family name where nothing parts it from the given one: of two or three signs."""
    whole = nfkc(name).strip()
    return (
        [whole, *(whole[:size] for size in (2, 3) if len(whole) > size + 1)] if _UNPARTED.fullmatch(whole) else [name]
    )


def _family(name: str) -> str:
    return name.partition(",")[0] if "," in name else (name.split() or [""])[-1]


def _plain(name: str) -> str:
    """Letters and digits, whatever the case, width, accents and punctuation."""
    folded = unicodedata.normalize("NFKD", nfkc(name)).casefold()
    kept = "".join(char for char in folded if not unicodedata.combining(char) or char in "\u3099\u309a")
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", kept)).strip()
