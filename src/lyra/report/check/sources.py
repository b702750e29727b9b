"""Which sources a mark of a text stands for: by address, identifier, list of references, authors and year, or id."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.academic.identity import author_key, title_key
from lyra.model.check import Source
from lyra.model.page import identifiers_in
from lyra.redact.redactor import public_url
from lyra.report.check.citations import Citation, CitationKind, find_citations, key_form
from lyra.report.check.references import Reference
from lyra.urls import canonical, is_web_url

_LEAST_TITLE_CHARS = 10
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


@dataclass(frozen=True, slots=True)
class Resolution:
    """The sources behind a mark; `is_understood` is false where the mark itself says nothing that can be looked up."""

    sources: tuple[Source, ...] = ()
    is_understood: bool = True
    named: str = ""


class SourceIndex:
    """The sources that a text may cite, by all their names."""

    def __init__(self, sources: Iterable[Source], ids: Mapping[str, Collection[str]] | None = None) -> None:
        """`ids` are other names of pages, such as the id of a claim for the pages with its evidence."""
        self.sources = tuple(sources)
        self._by_name: dict[str, list[Source]] = {}
        self._by_key: dict[str, list[Source]] = {}
        for source in self.sources:
            self._by_key.setdefault(source.key, []).append(source)
            for name in _names(source):
                self._by_name.setdefault(name, []).append(source)
        by_id = {source.page_id: source for source in self.sources}
        for name, pages in (ids or {}).items():
            self._by_name[name] = [by_id[one] for one in pages if one in by_id]

    def resolve(self, citation: Citation, references: tuple[Reference, ...]) -> Resolution:
        """What a mark stands for; ibid. must be resolved by the caller."""
        if citation.kind is CitationKind.URL:
            return Resolution(self._addressed(citation.values[0]), named=citation.values[0])
        if citation.kind in (CitationKind.IDENTIFIER, CitationKind.LYRA_ID):
            return Resolution(self._named(citation.values), named=citation.text)
        if citation.kind is CitationKind.KEY:
            return self._listed(citation, references)
        if citation.kind is CitationKind.AUTHOR_YEAR:
            return self._by_authors(citation, references)
        return Resolution(is_understood=False, named=citation.text)

    def entry(self, reference: Reference) -> Resolution:
        """The sources that an entry of the list of references names."""
        marks = [
            one
            for one in find_citations(reference.text)
            if one.kind in (CitationKind.URL, CitationKind.IDENTIFIER, CitationKind.LYRA_ID)
        ]
        for mark in marks:
            found = self.resolve(mark, ())
            if found.sources:
                return Resolution(found.sources, named=reference.text)
        titled = self._titled(reference.text)
        if titled or marks:
            return Resolution(titled, named=reference.text)
        people = next((one for one in find_citations(reference.text) if one.kind is CitationKind.AUTHOR_YEAR), None)
        written = self._written_by(people.values, people.year) if people else self._listed_people(reference.text)
        return Resolution(written, named=reference.text)

    def _listed(self, citation: Citation, references: tuple[Reference, ...]) -> Resolution:
        entries = [one for key in citation.values for one in references if key_form(one.key) == key_form(key)]
        if len(entries) < len(citation.values):
            return Resolution(is_understood=False, named=citation.text)
        found = tuple(source for one in entries for source in self.entry(one).sources)
        is_whole = all(self.entry(one).sources for one in entries)
        named = entries[0].text if len(entries) == 1 else citation.text
        return Resolution(tuple(dict.fromkeys(found)) if is_whole else (), named=named)

    def _by_authors(self, citation: Citation, references: tuple[Reference, ...]) -> Resolution:
        lettered = next((one for one in references if citation.letter and _is_entry_of(one, citation)), None)
        if lettered is not None:
            return Resolution(self.entry(lettered).sources, named=citation.text)
        found = self._written_by(citation.values, citation.year)
        if not found:
            entry = next((one for one in references if _is_entry_of(one, citation)), None)
            found = self.entry(entry).sources if entry else self._published_by(citation.values, citation.year)
        return Resolution(found, named=citation.text)

    def _published_by(self, names: tuple[str, ...], year: int | None) -> tuple[Source, ...]:
        """Pages of that year on the host of an organisation: {NEMSO 2025} is a page of nemso.gov."""
        if len(names) != 1:
            return ()
        name = _folded(names[0])
        return self._whole_works(
            one
            for one in self.sources
            if _year_of(one) == year and name in re.split(r"[.-]", address_key(one.url).split("/")[0])
        )

    def _written_by(self, names: tuple[str, ...], year: int | None) -> tuple[Source, ...]:
        return tuple(
            one for one in self.sources if one.authors and _year_of(one) == year and _are_authors(names, one.authors)
        )

    def _listed_people(self, text: str) -> tuple[Source, ...]:
        """Sources whose first author and year an entry without address or title names."""
        years = {int(one) for one in _YEAR.findall(text)}
        folded = _folded(text)
        return tuple(
            one for one in self.sources if one.authors and _year_of(one) in years and _family(one.authors[0]) in folded
        )

    def _titled(self, text: str) -> tuple[Source, ...]:
        folded = title_key(text)
        titled = [(key, one) for one in self.sources if len(key := title_key(one.title)) >= _LEAST_TITLE_CHARS]
        found = [one for key, one in titled if key in folded]
        return self._whole_works(found)

    def _addressed(self, url: str) -> tuple[Source, ...]:
        found = self._by_name.get(address_key(url))
        if found:
            return self._whole_works(found)
        return self._named(f"{one.kind}:{one.value}" for one in identifiers_in(url))

    def _named(self, names: Iterable[str]) -> tuple[Source, ...]:
        return self._whole_works(one for name in names for one in self._by_name.get(name.lower(), ()))

    def _whole_works(self, found: Iterable[Source]) -> tuple[Source, ...]:
        """With the other pages of the same works: a paper is read by its abstract at another address."""
        return tuple(dict.fromkeys(other for one in found for other in self._by_key[one.key]))


def address_key(url: str) -> str:
    """Equal for addresses that lead to one page: http or https, www. or not, with or without a slash at the end,
    with its secrets or as a report shows it."""
    if not is_web_url(url):
        return ""
    parts = urlsplit(canonical(public_url(url)))
    host = (parts.hostname or "").removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"


def _names(source: Source) -> set[str]:
    names = {address_key(source.url), address_key(source.final_url), source.page_id, source.key.lower()}
    names |= {f"{one.kind}:{one.value}".lower() for one in source.identifiers}
    return (names | {fragment.id for fragment in source.fragments}) - {""}


def _year_of(source: Source) -> int | None:
    if source.year is not None or not source.published:
        return source.year
    match = _YEAR.match(source.published)
    return int(match[0]) if match else None


def _are_authors(names: tuple[str, ...], authors: tuple[str, ...]) -> bool:
    """Whether the first author is the first name, and the others are among the authors."""
    known = [_folded(author) for author in authors]
    wanted = [_folded(name) for name in names]
    return _is_family(wanted[0], known[0]) and all(any(_is_family(one, other) for other in known) for one in wanted)


def _is_family(name: str, author: str) -> bool:
    """Japanese names begin with the family's, others end with it, unless a comma says otherwise."""
    if not name.isascii() and not author.isascii() and re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", author):
        return author.replace(" ", "").startswith(name.replace(" ", ""))
    return author_key(author) == title_key(name) or author.split(",")[0].strip() == name


def _family(author: str) -> str:
    folded = _folded(author)
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", folded):
        return folded.split()[0] if " " in folded else folded
    return author_key(author)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize(
        "NFKC", "".join(c for c in plain if not unicodedata.combining(c) or c in "\u3099\u309a")
    )


def _is_entry_of(reference: Reference, citation: Citation) -> bool:
    """Whether an entry begins with the authors of a mark and has its year."""
    head = _folded(reference.text[:200])
    return f"{citation.year}{citation.letter}" in reference.text and all(
        _folded(name) in head for name in citation.values
    )
