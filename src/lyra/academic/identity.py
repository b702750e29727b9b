"""When two records are one work: identifiers first, then title and first author for a preprint and its article."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lyra.ids import derived_id
from lyra.model.page import Identifier
from lyra.model.work import Work
from lyra.text import nfkc

_ORDER = ("doi", "pmid", "arxiv")
# DOIs of preprint servers: bioRxiv and medRxiv (old and new), SSRN, Research Square, Preprints.org, Authorea.
_PREPRINT_DOI = re.compile(
    r"10\.1101/(?:\d{4}\.\d{2}\.\d{2}\.)?\d{5,8}|10\.64898/.+|10\.2139/ssrn\..+|10\.21203/rs\..+|10\.20944/.+|10\.22541/.+"
)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
# A title of fewer words ("Editorial", "Authors' reply") names no work.
_LEAST_TITLE_WORDS = 4
_LEAST_JAPANESE_TITLE = 10


def canonical_id(
    identifiers: Iterable[Identifier], title: str, year: int | None = None, first_author: str | None = None
) -> str:
    """`doi:…`, else `pmid:…`, else `arxiv:…`, else a key of title, year and first author."""
    ordered = ordered_identifiers(identifiers)
    if ordered:
        return f"{ordered[0].kind}:{ordered[0].value}"
    return derived_id("title", title_key(title), str(year or ""), author_key(first_author or ""))


def ordered_identifiers(identifiers: Iterable[Identifier]) -> tuple[Identifier, ...]:
    """Each once, DOI before PMID before arXiv id, an article's DOI before a preprint's; arXiv's DOIs are arXiv ids."""
    unique = dict.fromkeys(_as_arxiv(identifier) for identifier in identifiers)
    return tuple(sorted(unique, key=_precedence))


def _as_arxiv(identifier: Identifier) -> Identifier:
    match = _ARXIV_DOI.fullmatch(identifier.value) if identifier.kind == "doi" else None
    return Identifier("arxiv", re.sub(r"v\d+$", "", match[1].lower())) if match else identifier


def _precedence(identifier: Identifier) -> tuple[int, bool, str]:
    return (_ORDER.index(identifier.kind), is_preprint_id(identifier), identifier.value)


def is_preprint_id(identifier: Identifier) -> bool:
    """Whether the identifier belongs to a preprint server."""
    is_doi = identifier.kind == "doi"
    return identifier.kind == "arxiv" or (is_doi and _PREPRINT_DOI.fullmatch(identifier.value) is not None)


def title_key(title: str) -> str:
    """Letters and digits of a title, whatever its case, width, accents and punctuation."""
    folded = unicodedata.normalize("NFKD", nfkc(title)).casefold()
    return re.sub(r"[\W_]+", " ", "".join(c for c in folded if not unicodedata.combining(c))).strip()


def matches_page(work: Work, title: str, authors: Sequence[str]) -> bool:
    """Whether a page with this title and these authors can be the work, and not a list in which it comes first.

    A journal's name or a notice may be part of the title. One in another script, such as a translation, says
    nothing; there it counts that lists have no authors.
    """
    shown, own = title_key(title), title_key(work.title)
    if shown.isascii() != own.isascii():
        return bool(shown and own and authors)
    return bool(shown and own) and (own in shown or shown in own)


def author_key(name: str) -> str:
    """The family name in one spelling: "Müller, Anna", "A. Müller" and "Anna Muller" are one."""
    family = name.partition(",")[0] if "," in name else (name.split() or [""])[-1]
    return title_key(family)


def merge(works: Iterable[Work]) -> tuple[Work, ...]:
    """The same works once each, in the order they were first met, every record adding what the others lack."""
    groups: list[list[Work]] = []
    for work in works:
        matching = [group for group in groups if any(is_same_work(work, other) for other in group)]
        if not matching:
            groups.append([work])
            continue
        matching[0].append(work)
        for other in matching[1:]:
            matching[0].extend(other)
            groups.remove(other)
    return tuple(_merged(group) for group in groups)


def is_same_work(one: Work, other: Work) -> bool:
    """A shared identifier; or one title and first author where not both are published articles of their own."""
    mine, theirs = set(ordered_identifiers(one.identifiers)), set(ordered_identifiers(other.identifiers))
    if mine & theirs or one.id == other.id:
        return True
    if _article_dois(mine) and _article_dois(theirs):
        return False
    return _is_distinctive(one.title) and _signature(one) == _signature(other)


def _article_dois(identifiers: Iterable[Identifier]) -> set[str]:
    return {found.value for found in identifiers if found.kind == "doi" and not is_preprint_id(found)}


def _is_distinctive(title: str) -> bool:
    key = title_key(title)
    return len(key.split()) >= _LEAST_TITLE_WORDS or (not key.isascii() and len(key) >= _LEAST_JAPANESE_TITLE)


def _signature(work: Work) -> tuple[str, str]:
    return title_key(work.title), author_key(work.authors[0]) if work.authors else ""


def _merged(group: Sequence[Work]) -> Work:
    if len(group) == 1:
        return group[0]
    lead = min(group, key=_lead_order)
    identifiers = ordered_identifiers(identifier for work in group for identifier in work.identifiers)
    fullest = max(group, key=lambda work: len(work.abstract or ""))
    return replace(
        lead,
        id=canonical_id(identifiers, lead.title, lead.year, lead.authors[0] if lead.authors else None),
        abstract=fullest.abstract,
        archive=fullest.archive,
        authors=max((work.authors for work in group), key=len),
        year=lead.year or next((work.year for work in group if work.year), None),
        published=lead.published or next((work.published for work in group if work.published), None),
        venue=lead.venue or next((work.venue for work in group if work.venue), None),
        identifiers=identifiers,
        url=lead.url or next((work.url for work in group if work.url), None),
        citation_count=max((work.citation_count for work in group if work.citation_count is not None), default=None),
        is_retracted=_is_retracted(group),
        source_api=_apis(work.source_api for work in group),
        retracted_by=_apis(work.retracted_by for work in group),
    )


def _is_retracted(group: Iterable[Work]) -> bool | None:
    """True where any record says so, else False where any denies it; None where no record says."""
    flags = [work.is_retracted for work in group if work.is_retracted is not None]
    return any(flags) if flags else None


def _apis(names: Iterable[str]) -> str:
    return "+".join(sorted({api for name in names for api in name.split("+") if api}))


def _lead_order(work: Work) -> tuple[int, int]:
    """A published article leads over a preprint, a record with identifiers over one without."""
    ordered = ordered_identifiers(work.identifiers)
    return (1 if not ordered or is_preprint_id(ordered[0]) else 0, -len(ordered))
