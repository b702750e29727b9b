"""Every page that enters the graph is scanned for orders to an AI; what is found is stored, and if grave blocks."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lyra.model.injection import AnswerWarning, AnswerWarnings, InjectionFinding, InjectionKind, Severity
from lyra.model.page import Document, Fragment, Page, StoredPage
from lyra.model.person import OWNER, Person
from lyra.observe import audit
from lyra.security.injection import SCANNER, scan
from lyra.storage import injections
from lyra.storage.database import Database

if TYPE_CHECKING:
    from datetime import datetime

    from apsw import Connection

MOST_WARNINGS = 12
_MOST_STRINGS = 600
_MOST_CHARS = 4_000


def scan_document(document: Document, title: str = "") -> tuple[InjectionFinding, ...]:
    """What a document shows and hides of that kind."""
    named = () if document.site_name in document.hidden else (document.site_name,)
    return scan(document.text, document.hidden, title=document.title or title, outside=(*document.outside, *named))


def save_scan(
    connection: "Connection",
    page: Page,
    fragments: Sequence[Fragment],
    found: Sequence[InjectionFinding],
    now: "datetime",
    cause_id: str | None,
) -> None:
    """Store the findings and, where one is grave, block the domain; the audit log gets a line."""
    is_blocked = injections.save(connection, page, fragments, found, scanner=SCANNER, now=now, cause_id=cause_id)
    if found:
        audit.record(
            "L2",
            "orders to an AI on a page",
            page_id=page.id,
            domain=page.domain,
            kinds=sorted({one.kind.value for one in found}),
            severity=found[0].severity.value,
            is_hidden=any(one.is_hidden for one in found),
            is_blocked=is_blocked,
        )


async def ensure_scanned(db: Database, stored: StoredPage, now: "datetime", cause_id: str | None) -> None:
    """A page that came without a scan (an abstract, a page that an earlier Lyra stored) is scanned now."""
    page = stored.page
    if not await db.read(injections.is_scanned, page, SCANNER):
        found = await asyncio.to_thread(scan, page.text, title=page.title, outside=(page.site_name or "",))
        await db.write(save_scan, page, stored.fragments, found, now, cause_id)


class OrderSpans:
    """Where fragments give orders to an AI: such a place states nothing, and is judged against nothing."""

    def __init__(self, spans: Mapping[str, tuple[tuple[int, int], ...]] | None = None) -> None:
        self._spans = dict(spans or {})

    def add(self, spans: Mapping[str, tuple[tuple[int, int], ...]]) -> None:
        """Places by the id of the fragment, in its own offsets."""
        self._spans.update(spans)

    def overlaps_order(self, fragment_id: str, start: int, end: int) -> bool:
        """Whether a place of a fragment touches an order."""
        return any(first < end and start < last for first, last in self._spans.get(fragment_id, ()))

    def is_mostly_orders(self, fragment_id: str, length: int) -> bool:
        """Whether at least half of a fragment is orders."""
        return 2 * sum(last - first for first, last in self._spans.get(fragment_id, ())) >= max(1, length)


async def block_obeyed(db: Database, stored: StoredPage, now: "datetime") -> None:
    """A language model's output tried to obey the page (L4): grave, so its domain is blocked (SPEC §1 decision 9)."""
    page = stored.page
    found = InjectionFinding(InjectionKind.OBEYED, Severity.HIGH, False, 0, 0, 1.0)

    def save(connection: "Connection") -> bool:
        injections.add(connection, page, stored.fragments, [found], now=now)
        return injections.block(connection, page, found, now=now)

    is_blocked = await db.write(save)
    audit.record("L4", "output obeyed a page", page_id=page.id, domain=page.domain, is_blocked=is_blocked)


class SecurityWarnings:
    """Which flagged pages the text of an answer comes from (L5), of those that the person sees."""

    def __init__(self, db: Database, person: Person = OWNER) -> None:
        self._db = db
        self._person = person

    async def flagged_pages(self, strings: Sequence[str], *, is_computed: bool = False) -> AnswerWarnings:
        """The pages behind these strings of an answer, the gravest first, with the claims among them.

        `is_computed`: some text was computed from text of pages and does not show which, so that it may come from every
        flagged page. So may what stands beyond the strings that are looked for.
        """
        asked = [one[:_MOST_CHARS] for one in dict.fromkeys(strings) if one]
        return await self._db.read(self._find, asked, is_computed or len(asked) > _MOST_STRINGS)

    def _find(self, connection: "Connection", asked: Sequence[str], is_computed: bool) -> AnswerWarnings:
        traced = injections.flagged_pages_of_texts(connection, asked[:_MOST_STRINGS])
        flagged: list[str] = []
        if is_computed or (traced and not self._person.sees_everything):
            flagged = injections.flagged_pages(connection, self._person)
        if not self._person.sees_everything:
            traced = {page_id: claims for page_id, claims in traced.items() if page_id in flagged}
        pages = dict.fromkeys([*traced, *flagged] if is_computed else traced)
        if not pages:
            return AnswerWarnings()
        first = injections.warnings_of_pages(connection, traced, most=MOST_WARNINGS)
        others = [page_id for page_id in pages if page_id not in traced]
        more = injections.warnings_of_pages(connection, others, most=MOST_WARNINGS - len(first)) if others else ()
        return AnswerWarnings(
            (
                *(AnswerWarning(one, tuple(sorted(set(traced[one.page_id])))) for one in first),
                *(AnswerWarning(one, (), is_traced=False) for one in more),
            ),
            len(pages),
        )
