"""What a page says of itself (retracted, reinstated, corrected, and on which day) and what its links name."""

from collections.abc import Iterable

from lyra.academic.fields import is_marked_retracted
from lyra.evidence.retractions import PageStatement, PageStatementKind, page_statements
from lyra.extract.dates import first_full_date
from lyra.model.page import Document, Identifier, PageNotice, identifiers_in
from lyra.urls import canonical, is_web_url

PAPER = "paper"


def page_notice(title: str, text: str, *, updated: str | None, read_on: str, is_marked: bool = False) -> PageNotice:
    """The page's own word, from its title, its text and its metadata (`is_marked`); `read_on` is the day it was read.

    A retraction that was reinstated since is none, unless a later day says retracted again. A day is that of the
    statement, else the day on which the page says it was updated; one after the reading is not believed.
    """
    by_word: dict[PageStatementKind, list[PageStatement]] = {}
    for one in page_statements(text):
        by_word.setdefault(one.word, []).append(one)
    fallback = _unless_future(updated, read_on)
    retracted_on = _day(by_word.get(PageStatementKind.RETRACTED, ()), read_on)
    is_retracted = PageStatementKind.RETRACTED in by_word or is_marked or is_marked_retracted(title)
    is_reinstated = PageStatementKind.REINSTATED in by_word and not (
        is_retracted
        and retracted_on is not None
        and retracted_on > (_day(by_word[PageStatementKind.REINSTATED], read_on) or "9999")
    )
    is_standing = is_reinstated or not is_retracted
    return PageNotice(
        retraction="reinstated" if is_reinstated else "retracted" if is_retracted else "",
        retracted_on=None if is_standing else retracted_on or fallback,
        is_corrected=PageStatementKind.CORRECTED in by_word,
        corrected_on=(_day(by_word[PageStatementKind.CORRECTED], read_on) or fallback)
        if PageStatementKind.CORRECTED in by_word
        else None,
    )


def _day(statements: Iterable[PageStatement], read_on: str) -> str | None:
    """The latest day that these statements name, in their sentence or the one after it."""
    days = [
        _unless_future(first_full_date(one.sentence) or first_full_date(one.context), read_on) for one in statements
    ]
    return max((day for day in days if day), default=None)


def _unless_future(day: str | None, read_on: str) -> str | None:
    return day if day and day <= read_on else None


def link_targets(document: Document) -> list[tuple[str, Identifier]]:
    """Each address in canonical form with what it names, once for each thing named, in the order given.

    A paper's link to its own identifier names nothing else.
    """
    own = document.identifiers[:1] if document.page_type == PAPER else ()
    found: dict[Identifier, str] = {}
    for address in filter(is_web_url, document.links):
        url = canonical(address)
        papers = identifiers_in(address)
        found.setdefault(papers[0] if papers else Identifier("url", url), url)
    return [(url, named) for named, url in found.items() if named not in own]
