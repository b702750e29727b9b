"""What the scan for orders to an AI found on pages, and the block of a domain that follows from it."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.ids import derived_id, text_hash
from lyra.model.event import Event
from lyra.model.injection import InjectionFinding, InjectionKind, SecurityWarning, Severity
from lyra.model.page import Fragment, Page
from lyra.model.person import Person
from lyra.model.trust import TrustLevel
from lyra.storage import domains, journal, people
from lyra.storage.columns import ids_json
from lyra.storage.rows import column, read
from lyra.storage.trust import DECISION

FOUND = "injection_found"
_REASONS = {
    InjectionKind.DISCLOSURE: "Text on one of its pages orders an AI to disclose secrets.",
    InjectionKind.TRANSMISSION: "Text on one of its pages orders an AI to send something away.",
    InjectionKind.OBEYED: "A language model's output tried to obey text on one of its pages.",
}
# 24 letters, or 12 characters of Japanese.
_LEAST_CHARS, _LEAST_BYTES = 12, 24
_HIDDEN_REASON = "One of its pages hides text that gives orders to an AI."
# The gravest finding of each page, and how many there are.
_WARNINGS = """
select page_id, url, kind, severity, is_hidden, findings
from (
    select i.page_id, p.url, i.kind, i.severity, i.is_hidden, count(*) over (partition by i.page_id) as findings,
        row_number() over (
            partition by i.page_id
            order by case i.severity when 'high' then 0 when 'medium' then 1 else 2 end, i.is_hidden, i.char_start
        ) as place
    from injection_findings i
    join pages p on p.id = i.page_id
    where i.page_id in (select value from json_each(:pages))
)
where place = 1
order by case severity when 'high' then 0 when 'medium' then 1 else 2 end, url
limit :most
"""
_FLAGGED = """
select distinct i.page_id
from injection_findings i
where :everything or exists (
    select 1
    from task_pages r
    where r.page_id = i.page_id and r.task_id in (select value from json_each(:tasks))
)
"""


def is_scanned(connection: Connection, page: Page, scanner: str) -> bool:
    """Whether the page was scanned by this scanner with the text it has now."""
    found = column(
        connection,
        "select 1 from page_scans where page_id = ? and scanner = ? and text_version = ?",
        (page.id, scanner, text_hash(page.text)),
    )
    return bool(found)


def save(
    connection: Connection,
    page: Page,
    fragments: Sequence[Fragment],
    found: Sequence[InjectionFinding],
    *,
    scanner: str,
    now: datetime,
    cause_id: str | None,
) -> bool:
    """Replace what was found on a page; a grave finding blocks its domain. Returns whether it was blocked now."""
    connection.execute("delete from injection_findings where page_id = ?", (page.id,))
    connection.execute(
        """
        insert into page_scans (page_id, scanner, text_version, scanned_at)
        values (?, ?, ?, ?)
        on conflict (page_id) do update
        set scanner = excluded.scanner, text_version = excluded.text_version, scanned_at = excluded.scanned_at
        """,
        (page.id, scanner, text_hash(page.text), stamp(now)),
    )
    add(connection, page, fragments, found, now=now)
    if found:
        journal.append(connection, [_event(page, found, now, cause_id)])
    grave = next((one for one in found if one.severity is Severity.HIGH), None)
    return grave is not None and block(connection, page, grave, now=now)


def add(
    connection: Connection,
    page: Page,
    fragments: Sequence[Fragment],
    found: Sequence[InjectionFinding],
    *,
    now: datetime,
) -> None:
    """Keep findings of a page, each with the fragment in which it stands."""
    connection.executemany(
        """
        insert into injection_findings (id, page_id, fragment_id, kind, severity, is_hidden, char_start, char_end,
            score, found_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        [
            (
                finding_id(page.id, one),
                page.id,
                _fragment_of(one, fragments),
                one.kind,
                one.severity,
                int(one.is_hidden),
                one.start,
                one.end,
                one.score,
                stamp(now),
            )
            for one in found
        ],
    )


def finding_id(page_id: str, found: InjectionFinding) -> str:
    """The same place gives the same id."""
    return derived_id("inj", page_id, found.kind, str(found.is_hidden), str(found.start), str(found.end))


def _fragment_of(found: InjectionFinding, fragments: Sequence[Fragment]) -> str | None:
    if found.is_hidden and found.kind is not InjectionKind.INVISIBLE_CHARACTERS:
        return None
    inside = (one.id for one in fragments if one.char_start < found.end and found.start < one.char_end)
    return next(inside, None)


def block(connection: Connection, page: Page, found: InjectionFinding, *, now: datetime) -> bool:
    """Block the page's domain with the reason and the finding as its cause; false where it was blocked before."""
    known = domains.get(connection, page.domain)
    before = known.trust_level if known else None
    if before is TrustLevel.BLOCKED or not page.domain:
        return False
    reason = _HIDDEN_REASON if found.is_hidden else _REASONS.get(found.kind, _HIDDEN_REASON)
    cause_id = finding_id(page.id, found)
    domains.set_trust(connection, page.domain, TrustLevel.BLOCKED, reason, now=now, cause_id=cause_id)
    told = {"before": before or TrustLevel.UNVERIFIED, "after": TrustLevel.BLOCKED, "reason": reason, "task_id": None}
    journal.append(connection, [Event(DECISION, now, page.domain, told, cause_id=cause_id)])
    return True


def _event(page: Page, found: Sequence[InjectionFinding], now: datetime, cause_id: str | None) -> Event:
    """The journal's line: kinds and places, never the words."""
    findings = [{"kind": one.kind, "severity": one.severity, "is_hidden": one.is_hidden} for one in found[:10]]
    return Event(FOUND, now, page.id, {"url": page.url, "findings": findings, "count": len(found)}, cause_id=cause_id)


def orders_in(connection: Connection, fragment_ids: Iterable[str]) -> dict[str, tuple[tuple[int, int], ...]]:
    """Where these fragments give orders, in their own offsets; mentions and requests are none."""
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    rows = connection.execute(
        """
        select f.id, max(i.char_start, f.char_start) - f.char_start, min(i.char_end, f.char_end) - f.char_start
        from fragments f
        join injection_findings i on i.page_id = f.page_id
        where f.id in (select value from json_each(?)) and f.superseded_at is null and i.is_hidden = 0
            and i.kind not in ('mention', 'stray_request') and i.char_start < f.char_end and f.char_start < i.char_end
        """,
        (ids_json(fragment_ids),),
    )
    for fragment_id, start, end in rows:
        found[str(fragment_id)] = (*found.get(str(fragment_id), ()), (int(start), int(end)))
    return found


def warnings_of_pages(
    connection: Connection, page_ids: Iterable[str], *, most: int = -1
) -> tuple[SecurityWarning, ...]:
    """The flagged ones of these pages, the gravest first, at most so many."""
    return read(connection, SecurityWarning, _WARNINGS, {"pages": ids_json(page_ids), "most": most})


def flagged_pages(connection: Connection, person: Person) -> list[str]:
    """The flagged pages that this person sees."""
    tasks = [] if person.sees_everything else people.visible_tasks(connection, person)
    return column(connection, _FLAGGED, {"everything": person.sees_everything, "tasks": ids_json(tasks)})


def flagged_pages_of_texts(connection: Connection, texts: Sequence[str]) -> dict[str, list[str]]:
    """The flagged pages from which these strings of an answer come, each with the claims whose ids are among them.

    A string is an id (page, fragment, claim, edge), an address, or words: a claim, a title, or a part of a page's text.
    """
    if not column(connection, "select 1 from injection_findings limit 1"):
        return {}
    found: dict[str, list[str]] = {}
    rows = connection.execute(
        """
        with flagged as (select distinct page_id as id from injection_findings),
            strings as (select distinct value from json_each(:texts))
        select p.id, null
        from flagged g
        join pages p on p.id = g.id
        where p.id in strings or p.url in strings or p.final_url in strings or p.title in strings
        union
        select f.page_id, null from strings s join fragments f on f.id = s.value
        where f.page_id in (select id from flagged)
        union
        select f.page_id, iif(c.id in strings, c.id, null)
        from flagged g
        join fragments f on f.page_id = g.id
        join claim_mentions m on m.fragment_id = f.id
        join claims c on c.id = m.claim_id
        where c.id in strings or c.claim_text in strings
        union
        select e.page_id, null from strings s join edges e on e.id = s.value
        where e.page_id in (select id from flagged)
        """,
        {"texts": ids_json(texts)},
    )
    for page_id, claim_id in rows:
        claims = found.setdefault(str(page_id), [])
        if claim_id is not None:
            claims.append(str(claim_id))
    return {page_id: [] for page_id in _pages_with_words(connection, texts)} | found


def _pages_with_words(connection: Connection, texts: Sequence[str]) -> list[str]:
    """The flagged pages whose text holds one of these; shorter ones are no sentence, and stand anywhere.

    Searched here, for SQLite's instr() takes forty times as long.
    """
    words = [one for one in texts if len(one) >= _LEAST_CHARS and len(one.encode("utf-8", "replace")) >= _LEAST_BYTES]
    if not words:
        return []
    rows = connection.execute(
        "select id, text_content from pages where id in (select page_id from injection_findings)",
    )
    return [str(page_id) for page_id, text in rows if text and any(one in text for one in words)]
