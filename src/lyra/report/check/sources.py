"""Which sources a mark of a text stands for: by address, identifier, list of references, authors and year, or id."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from lyra.academic.identity import title_key
from lyra.claims.notation import western_figures
from lyra.model.check import Source
from lyra.model.page import identifiers_in
from lyra.redact.redactor import public_url
from lyra.report.check.authors import family_names
from lyra.report.check.citations import Citation, CitationKind, find_citations, key_form
from lyra.report.check.names import NameMatch, are_authors, family_name, has_name, name_match, of_years, shorter_names
from lyra.report.check.references import Reference
from lyra.urls import canonical, is_web_url

_LEAST_TITLE_CHARS = 10
_LEAST_PIECE = 16
_HEAD_OF_ENTRY = 200
_PIECES = re.compile(r"[.。?？!！「」『』“”\"〔〕]")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
# A number far beyond the list is the end of an interval, [83, 120], rather than an invented reference.
_HIGHEST_INVENTED = 30


@dataclass(frozen=True, slots=True)
class Resolution:
    """The sources behind a mark; `is_understood` is false where the mark itself says nothing that can be looked up."""

    sources: tuple[Source, ...] = ()
    is_understood: bool = True
    named: str = ""
    # What was looked up: addresses and identifiers.
    addresses: tuple[str, ...] = ()
    # A number that the list of references, whose entries have numbers, does not have.
    unlisted: str = ""


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
            return Resolution(self._addressed(citation.values[0]), named=citation.values[0], addresses=citation.values)
        if citation.kind in (CitationKind.IDENTIFIER, CitationKind.LYRA_ID):
            return Resolution(self._named(citation.values), named=citation.text, addresses=citation.values)
        if citation.kind is CitationKind.KEY:
            return self._listed(citation, references)
        if citation.kind is CitationKind.AUTHOR_YEAR:
            return self._by_authors(citation, references)
        if citation.kind is CitationKind.NOTE:
            return self._noted(citation)
        return Resolution(is_understood=False, named=citation.text)

    def _noted(self, citation: Citation) -> Resolution:
        """What the words of notes or entries name; a note that names no source is a remark."""
        entries = [self.entry(Reference("", one, citation.start, citation.end)) for one in citation.values]
        sources = tuple(dict.fromkeys(source for one in entries for source in one.sources))
        addresses = tuple(address for one in entries for address in one.addresses)
        return Resolution(sources, bool(sources or addresses), citation.text, addresses)

    def entry(self, reference: Reference) -> Resolution:
        """The sources that an entry of the list of references names, itself or by the notes that it points to."""
        if reference.stands_for:
            pointed = [self.entry(replace(reference, text=one, stands_for=())) for one in reference.stands_for]
            sources = tuple(dict.fromkeys(source for one in pointed for source in one.sources))
            addresses = tuple(address for one in pointed for address in one.addresses)
            return Resolution(sources, named=reference.text, addresses=addresses)
        marks = [
            one
            for one in find_citations(reference.text)
            if one.kind in (CitationKind.URL, CitationKind.IDENTIFIER, CitationKind.LYRA_ID)
        ]
        addresses = tuple(value for mark in marks for value in mark.values)
        for mark in marks:
            found = self.resolve(mark, ())
            if found.sources:
                return Resolution(found.sources, named=reference.text, addresses=addresses)
        titled = self._titled(reference.text)
        if titled or marks:
            return Resolution(titled, named=reference.text, addresses=addresses)
        people = next((one for one in find_citations(reference.text) if one.kind is CitationKind.AUTHOR_YEAR), None)
        named = self._called(people) if people else ()
        return Resolution(named or self._listed_names(reference.text), named=reference.text, addresses=addresses)

    def _listed(self, citation: Citation, references: tuple[Reference, ...]) -> Resolution:
        entries = [one for key in citation.values for one in references if key_form(one.key) == key_form(key)]
        if len(entries) < len(citation.values):
            unlisted = _unlisted_number(citation, references)
            return Resolution(is_understood=bool(unlisted), named=citation.text, unlisted=unlisted)
        resolved = [self.entry(one) for one in entries]
        found = tuple(source for one in resolved for source in one.sources)
        is_whole = all(one.sources for one in resolved)
        missing = tuple(address for one in resolved if not one.sources for address in one.addresses)
        named = entries[0].text if len(entries) == 1 else citation.text
        return Resolution(tuple(dict.fromkeys(found)) if is_whole else (), named=named, addresses=missing)

    def _by_authors(self, citation: Citation, references: tuple[Reference, ...]) -> Resolution:
        """What the list of references has under these names and year; without an entry, what is called so."""
        entries = _entries_of(citation, references)
        if entries:
            found = [self.entry(one) for one in entries]
            sources = tuple(dict.fromkeys(source for one in found for source in one.sources))
            addresses = tuple(address for one in found for address in one.addresses)
            return Resolution(sources, named=citation.text, addresses=addresses)
        return Resolution(self._called(citation), named=citation.text)

    def _called(self, citation: Citation) -> tuple[Source, ...]:
        """The sources of that year that the people wrote, or else that fit the name best."""
        for sources in of_years(self.sources, citation.years):
            written = [one for one in sources if are_authors(citation.values, one.authors)]
            found = written or _fitting_any(citation, sources)
            if found:
                return self._whole_works(found)
        return ()

    def _listed_names(self, text: str) -> tuple[Source, ...]:
        """Sources that an entry without address and title names by an author or a site, and by year."""
        years = [int(one) for one in _YEAR.findall(western_figures(text)[0])]
        for sources in of_years(self.sources, years) if years else ():
            written = [one for one in sources if one.authors and has_name(text, family_name(one.authors[0]))]
            found = written or [one for one in sources if one.site_name and has_name(text, one.site_name)]
            if found:
                return self._whole_works(found)
        return ()

    def _titled(self, text: str) -> tuple[Source, ...]:
        """Sources whose title an entry has; or a part of it, where the entry gives it as a sentence of its own."""
        plain = title_key(text)
        pieces = [key for one in _PIECES.split(text) if len(key := title_key(one)) >= _least_title(key)]
        titled = [(key, one) for one in self.sources if len(key := title_key(one.title)) >= _LEAST_TITLE_CHARS]
        found = [one for key, one in titled if key in plain] or [
            one for key, one in titled if any(piece in key for piece in pieces)
        ]
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


def _fitting_any(citation: Citation, sources: Sequence[Source]) -> list[Source]:
    """The sources that the whole name fits, or all names in it, or what is left of it without its first words."""
    for name in shorter_names(citation.name):
        names = family_names(name)
        found = _fitting((name,), sources) or (_fitting(names, sources) if len(names) > 1 else [])
        if found:
            return found
    return []


def _fitting(names: Sequence[str], sources: Iterable[Source]) -> list[Source]:
    """The sources that all names fit, those that they fit best."""
    scored = [(min(name_match(name, one) for name in names), one) for one in sources] if names else []
    best = max((score for score, _ in scored), default=NameMatch.NONE)
    return [one for score, one in scored if score is best] if best else []


def _unlisted_number(citation: Citation, references: Iterable[Reference]) -> str:
    """The first number of a mark that a list with numbers does not have; nothing where the mark may be no citation."""
    known = {one.key for one in references if one.key.isdigit()}
    highest = max(_HIGHEST_INVENTED, 3 * max(map(int, known), default=0))
    is_number = bool(known) and all(one.isdigit() and 0 < int(one) <= highest for one in citation.values)
    return next((one for one in citation.values if one not in known), "") if is_number else ""


def _entries_of(citation: Citation, references: Iterable[Reference]) -> list[Reference]:
    """The entries that begin with what a mark names and have its year; with its letter, if it has one."""
    known = [(one, western_figures(one.text)[0]) for one in references]
    years = [f"{year}{citation.letter}" for year in citation.years] or [""]
    ofyear = [one for one, text in known if any(year in text for year in years)]
    for name in (citation.name, *shorter_names(citation.name)):
        for names in ((name,), family_names(name)):
            heads = ((one, one.text[:_HEAD_OF_ENTRY]) for one in ofyear)
            found = [one for one, head in heads if names and all(has_name(head, each) for each in names)]
            if found:
                return found
    return []


def _least_title(key: str) -> int:
    return _LEAST_PIECE if key.isascii() else _LEAST_TITLE_CHARS
