"""Reports of rechecks as text and as an Atom feed, read back by a parser that is not ours."""

from dataclasses import replace
from datetime import UTC, datetime

from lxml import etree

from lyra.model.claim import Verdict
from lyra.model.recheck import (
    FailedSearch,
    PageNews,
    RecheckReport,
    RecheckRun,
    RecheckState,
    RecheckVerdictChange,
    UnreadPage,
)
from lyra.model.task import Budget
from lyra.report.rechecks import atom_feed, fields, lines
from lyra.translate import in_language

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
FEED_ID = "0123456789abcdef0123456789abcdef"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
TASK = "task_00000000000a"
HOSTILE = PageNews("p_1", "https://a.example/?a=1&b=<x>", "<script>alert(1)</script>\x1b[31m\x07 ]]> & \ufffe", 2, 1)
REPORT = RecheckReport(
    since=NOW,
    searches=3,
    failed=(FailedSearch("gliptins", "No search engine answered: mojeek."),),
    visited=12,
    new=(HOSTILE,),
    changed=(PageNews("p_2", "https://b.example/", "B", 1, 0, ("It cost 4.1 million dollars.",)),),
    verdicts=(RecheckVerdictChange("c_1", "Errors are halved.", True, Verdict.SUPPORTED, Verdict.CONTESTED),),
    new_claims=4,
)
RUN = RecheckRun(
    "rc_1", TASK, RecheckState.DONE, NOW, NOW, Budget(), pages_used=4, seconds_used=2.0, finished_at=NOW, report=REPORT
)
UNREAD = UnreadPage("p_3", "https://c.example/", "C", "failed: Status 503: the server has an error.", 1, 2)


def test_a_report_says_first_what_moved_and_then_where() -> None:
    """Counts, what could not be repeated, verdicts, pages with the words they lost; no control characters."""
    found = lines(RUN, "Are gliptins safe?")

    assert found == [
        "task_00000000000a Are gliptins safe?",
        "  2 of 3 searches repeated, 12 pages visited",
        "  changed: 1, new sources: 1, verdicts moved: 1, new claims: 4",
        "  ! Not repeated in full: gliptins (No search engine answered: mojeek.)",
        "  Verdicts that moved:",
        "    supported → contested: Errors are halved.",
        "  Changed:",
        "    B https://b.example/ (1 for, 0 against)",
        "      no longer says: It cost 4.1 million dollars.",
        "  New:",
        "    <script>alert(1)</script>[31m ]]> & \ufffe https://a.example/?a=1&b=<x> (2 for, 1 against)",
    ]


def test_a_run_without_a_network_stays_due_and_says_so_in_japanese() -> None:
    """The reason is the one that searches give, in the language of the user."""
    reason = "No search engine could be reached: mojeek. This machine seems to have no internet."
    waiting = replace(RUN, state=RecheckState.WAITING, report=None, reason=reason)

    with in_language("ja"):
        found = lines(waiting, "給食費")

    assert found[1].startswith("  確認できませんでした（期限は過ぎたままです）")


def test_the_feed_obeys_the_rules_of_rfc_4287() -> None:
    """One id, title and updated each, an author, absolute ids, and content of the type text: markup stays words."""
    feed = etree.fromstring(atom_feed([RUN], {TASK: "Are gliptins safe?"}, FEED_ID, NOW))

    (entry,) = feed.findall("a:entry", ATOM)
    once = [[len(one.findall(f"a:{name}", ATOM)) for name in ("id", "title", "updated")] for one in (feed, entry)]
    content = entry.find("a:content", ATOM)
    assert feed.tag == "{http://www.w3.org/2005/Atom}feed"
    assert once == [[1, 1, 1], [1, 1, 1]]
    assert feed.findtext("a:author/a:name", None, ATOM) == "Lyra"
    assert feed.findtext("a:id", None, ATOM) == "urn:uuid:01234567-89ab-cdef-0123-456789abcdef"
    assert feed.findtext("a:updated", None, ATOM) == "2026-03-14T09:30:00.000Z"
    assert entry.findtext("a:title", None, ATOM).endswith(
        "changed: 1, new sources: 1, verdicts moved: 1, new claims: 4"
    )
    assert (content.get("type"), len(content)) == ("text", 0)
    assert "<script>alert(1)</script>" in content.text


def test_an_entry_keeps_its_id_however_often_the_feed_is_written() -> None:
    """A reader that has shown it does not show it again; another run has another id."""
    later = replace(RUN, id="rc_2")

    first, second = (
        [one.text for one in etree.fromstring(atom_feed(runs, {}, FEED_ID, NOW)).findall("a:entry/a:id", ATOM)]
        for runs in ([RUN], [later, RUN])
    )

    assert second[1:] == first
    assert second[0] != first[0]


def test_a_run_without_news_makes_no_entry() -> None:
    """The feed's own date says that it was checked."""
    quiet = replace(RUN, report=RecheckReport(since=NOW, searches=3))

    feed = etree.fromstring(atom_feed([quiet], {}, FEED_ID, NOW))

    assert feed.findall("a:entry", ATOM) == []
    assert feed.findtext("a:updated", None, ATOM) == "2026-03-14T09:30:00.000Z"


def test_a_page_that_could_not_be_read_is_named_with_the_reason() -> None:
    """What it says now is not known: nothing has changed is said of the other pages alone, in JSON it has a list."""
    quiet = replace(RUN, report=RecheckReport(since=NOW, searches=3, visited=19, unread=(UNREAD,)))

    found, told = lines(quiet, "Are gliptins safe?"), fields(quiet)["report"]["unread"]

    assert found[1:] == [
        "  3 of 3 searches repeated, 19 pages visited",
        "  Nothing has changed on the pages that could be read; could not be read: 1",
        "  Could not be read, so what they say now is not known:",
        "    C https://c.example/ (1 for, 2 against)",
        "      Status 503: the server has an error.",
    ]
    assert [(one["url"], one["reason"]) for one in told] == [(UNREAD.url, UNREAD.reason)]


def test_pages_that_could_not_be_read_are_counted_beside_what_has_changed() -> None:
    """A report with news says so on the same line."""
    report = RecheckReport(since=NOW, searches=3, visited=19, new_claims=4, unread=(UNREAD,))

    found = lines(replace(RUN, report=report), "Are gliptins safe?")

    assert found[2] == "  new claims: 4, could not be read: 1"


def test_a_run_that_could_not_read_pages_makes_an_entry() -> None:
    """Blocked is not empty: who follows the feed is told as well."""
    quiet = replace(RUN, report=RecheckReport(since=NOW, searches=3, visited=19, unread=(UNREAD,)))

    feed = etree.fromstring(atom_feed([quiet], {TASK: "Are gliptins safe?"}, FEED_ID, NOW))

    assert [one.text for one in feed.findall("a:entry/a:title", ATOM)] == [
        "Are gliptins safe?: Nothing has changed on the pages that could be read; could not be read: 1"
    ]
