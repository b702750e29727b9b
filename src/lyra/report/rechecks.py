"""What a recheck found, for people: lines of text, and an Atom feed (RFC 4287) of the reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5
from xml.etree import ElementTree

from lyra.clock import stamp
from lyra.model.page import FetchOutcome
from lyra.model.recheck import PageNews, RecheckReport, RecheckRun, RecheckState, UnreadPage
from lyra.text import strip_control_chars
from lyra.translate import language, say, translate

_ATOM = "http://www.w3.org/2005/Atom"
_SHOWN = 50
_TITLE_CHARS = 160


def fields(run: RecheckRun) -> dict[str, Any]:
    """A run as JSON: its state, and its report where it has one."""
    report = None if run.report is None else {**asdict(run.report), "since": stamp(run.report.since)}
    return {
        "run_id": run.id,
        "task_id": run.task_id,
        "state": run.state.value,
        "due_at": stamp(run.due_at),
        "started_at": stamp(run.started_at),
        "finished_at": stamp(run.finished_at) if run.finished_at else None,
        "pages_used": run.pages_used,
        "seconds_used": round(run.seconds_used, 1),
        "reason": run.reason,
        "report": report,
    }


def lines(run: RecheckRun, query: str) -> list[str]:
    """A run as lines of text in the language of the user; foreign words are without control characters."""
    head = f"{run.task_id} {_plain(query)}"
    if run.state is RecheckState.WAITING:
        why = translate(run.reason or "")
        return [head, "  " + say("Not checked, it stays due: {reason}", reason=why)]
    if run.report is None:
        return [head, "  " + say("The check failed: {reason}", reason=translate(run.reason or run.state.value))]
    return [head, *("  " + line for line in _report_lines(run.report))]


def summary(report: RecheckReport) -> str:
    """A report on one line: how much there is of each kind."""
    told = (
        (len(report.retracted), say("retracted: {count}", count=len(report.retracted))),
        (len(report.gone), say("no longer there: {count}", count=len(report.gone))),
        (len(report.corrected), say("corrected: {count}", count=len(report.corrected))),
        (len(report.changed), say("changed: {count}", count=len(report.changed))),
        (len(report.new), say("new sources: {count}", count=len(report.new))),
        (len(report.verdicts), say("verdicts moved: {count}", count=len(report.verdicts))),
        (report.new_claims, say("new claims: {count}", count=report.new_claims)),
        (len(report.unread), say("could not be read: {count}", count=len(report.unread))),
    )
    if report.unread and not report.has_changes:
        nothing = "Nothing has changed on the pages that could be read; could not be read: {count}"
        return say(nothing, count=len(report.unread))
    return ", ".join(words for count, words in told if count) or say("Nothing has changed.")


def atom_feed(runs: Sequence[RecheckRun], queries: Mapping[str, str], feed_id: str, now: datetime) -> bytes:
    """The reports with news and the failed runs as a feed; ids are the same in every feed that is written.

    `feed_id` are 32 hexadecimal digits, `queries` the questions by task.
    """
    ended = [run for run in runs if run.state.is_ended and run.finished_at]
    shown = [run for run in ended if _has_news(run)]
    root = UUID(feed_id)
    ElementTree.register_namespace("", _ATOM)
    feed = ElementTree.Element(_name("feed"), {"xml:lang": language()})
    _add(feed, "id", root.urn)
    _add(feed, "title", say("Lyra: what has changed in watched research"))
    # The moment of the newest run: a feed without news must not look new.
    _add(feed, "updated", stamp(max((run.finished_at for run in ended if run.finished_at), default=now)))
    author = ElementTree.SubElement(feed, _name("author"))
    _add(author, "name", "Lyra")
    for run in shown:
        _add_entry(feed, run, queries.get(run.task_id, run.task_id), root)
    ElementTree.indent(feed)
    return bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))


def _has_news(run: RecheckRun) -> bool:
    """Whether the feed has an entry of the run: also what could not be checked is news."""
    report = run.report
    return report is None or bool(report.has_changes or report.failed or report.unread)


def _add_entry(feed: ElementTree.Element, run: RecheckRun, query: str, root: UUID) -> None:
    what = summary(run.report) if run.report is not None else say("The check failed.")
    entry = ElementTree.SubElement(feed, _name("entry"))
    _add(entry, "id", uuid5(root, run.id).urn)
    _add(entry, "title", f"{_plain(query)[:_TITLE_CHARS]}: {what}")
    _add(entry, "updated", stamp(run.finished_at or run.started_at))
    # `text`: whatever a page calls itself is shown as written, never as markup.
    _add(entry, "content", "\n".join(lines(run, query)), type="text")


def _add(parent: ElementTree.Element, name: str, text: str, **attributes: str) -> None:
    element = ElementTree.SubElement(parent, _name(name), attributes)
    element.text = _xml_text(text)


def _name(tag: str) -> str:
    return f"{{{_ATOM}}}{tag}"


def _xml_text(text: str) -> str:
    """What XML 1.0 can hold of a text."""
    kept = "\n".join(strip_control_chars(line) for line in text.split("\n"))
    return "".join(sign for sign in kept if sign not in "\ufffe\uffff" and not 0xD800 <= ord(sign) <= 0xDFFF)


def _report_lines(report: RecheckReport) -> Iterable[str]:
    counts = {"searches": report.searches - len(report.failed), "of": report.searches, "pages": report.visited}
    yield say("{searches} of {of} searches repeated, {pages} pages visited", **counts)
    yield summary(report)
    for one in report.failed:
        yield say("! Not repeated in full: {query} ({reason})", query=_plain(one.query), reason=translate(one.reason))
    if report.verdicts:
        yield say("Verdicts that moved:")
        for moved in report.verdicts[:_SHOWN]:
            was, now = translate(moved.before.value), translate(moved.after.value)
            yield f"  {was} → {now}: {_plain(moved.text)}"
        yield from _rest(len(report.verdicts))
    for heading, found in pages_by_kind(report):
        yield heading
        for page in found[:_SHOWN]:
            yield from _page_lines(page)
        yield from _rest(len(found))


def pages_by_kind(report: RecheckReport) -> tuple[tuple[str, tuple[PageNews | UnreadPage, ...]], ...]:
    """The pages with news below their headings; what stands first concerns a reader most."""
    found: tuple[tuple[str, tuple[PageNews | UnreadPage, ...]], ...] = (
        (say("Retracted:"), report.retracted),
        (say("No longer there:"), report.gone),
        (say("Could not be read, so what they say now is not known:"), report.unread),
        (say("Corrected:"), report.corrected),
        (say("Changed:"), report.changed),
        (say("New:"), report.new),
    )
    return tuple((heading, pages) for heading, pages in found if pages)


def _page_lines(page: PageNews | UnreadPage) -> Iterable[str]:
    sides = say("{supports} for, {refutes} against", supports=page.supports, refutes=page.refutes)
    title = f"{_plain(page.title)[:_TITLE_CHARS]} " if page.title else ""
    yield f"  {title}{_plain(page.url)} ({sides})"
    if isinstance(page, UnreadPage):
        yield f"    {_plain(translate(_reason_alone(page.reason)))}"
        return
    for quote in page.quotes:
        yield "    " + say("no longer says: {quote}", quote=_plain(quote))


def _reason_alone(reason: str) -> str:
    """A reason without the word for the kind of failure that stands before it."""
    kind, _, rest = reason.partition(": ")
    return rest if kind in set(FetchOutcome) else reason


def _rest(count: int) -> Iterable[str]:
    if count > _SHOWN:
        yield "  " + say("and {count} more (--json)", count=count - _SHOWN)


def _plain(text: str) -> str:
    """Foreign text on one line."""
    return " ".join(strip_control_chars(text).split())
