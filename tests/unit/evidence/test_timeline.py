"""The history of claims: events in order, outdated evidence, years that do not fit."""

from dataclasses import replace

import pytest

from lyra.evidence.timeline import TimelineEventKind, TimeMismatch, date_mismatch, timelines, years_stated
from lyra.model.edge import Relation
from lyra.model.report import DatedEvidence


def dated(
    url: str = "https://www.nimeth.gov/news/2021",
    relation: Relation = Relation.SUPPORTS,
    quote: str = "DPP-4 inhibitors did not change the risk of death from any cause.",
    claim_id: str = "c_mortality",
    seen_at: str = "2026-03-14T09:30:00.000Z",
    **more: object,
) -> DatedEvidence:
    return DatedEvidence(
        claim_id=claim_id,
        fragment_id=f"f_{url}",
        page_id=f"p_{url}",
        url=url,
        domain=url.split("/")[2].removeprefix("www."),
        relation=relation,
        quote=quote,
        seen_at=seen_at,
        **more,  # type: ignore[arg-type]
    )


REGISTRY = dated(
    "https://www.jmetd.org/article/2014/0666",
    Relation.REFUTES,
    seen_at="2026-03-14T09:31:00.000Z",
    published_date="2014-08-19",
    work_id="doi:10.5555/jmetd.2014.0666",
    is_retracted=True,
    retraction_seen_at="2026-03-15T08:00:00.000Z",
    retracted_on="2016-05-12",
    no_vote="retracted",
)
NEWS = dated(published_date="2021-04-02", updated_date="2023-01")
FAQ = dated(
    "https://med.calderwood.edu/faq",
    published_date="2022",
    superseded_at="2026-04-01T10:00:00.000Z",
    superseded_on="2026-03-30",
    seen_at="2026-03-14T09:32:00.000Z",
    no_vote="superseded",
)


def test_events_are_told_in_order() -> None:
    """Published, retracted, updated, first seen and superseded: each once for a page, by the day it happened."""
    (found,) = timelines([REGISTRY, NEWS, FAQ])

    assert [(event.kind, event.date, event.domain) for event in found.events] == [
        (TimelineEventKind.PUBLISHED, "2014-08-19", "jmetd.org"),
        (TimelineEventKind.RETRACTED, "2016-05-12", "jmetd.org"),
        (TimelineEventKind.PUBLISHED, "2021-04-02", "nimeth.gov"),
        (TimelineEventKind.PUBLISHED, "2022", "med.calderwood.edu"),
        (TimelineEventKind.UPDATED, "2023-01", "nimeth.gov"),
        (TimelineEventKind.FIRST_SEEN, "2026-03-14", "nimeth.gov"),
        (TimelineEventKind.SUPERSEDED, "2026-03-30", "med.calderwood.edu"),
    ]
    assert (found.events[1].seen_at, found.events[-1].seen_at) == (
        "2026-03-15T08:00:00.000Z",
        "2026-04-01T10:00:00.000Z",
    )


def test_what_has_no_day_stands_where_it_was_noticed() -> None:
    """An index calls a paper retracted without a day: the event has none, and the moment it was heard of."""
    (found,) = timelines([replace(REGISTRY, retracted_on=None), replace(FAQ, superseded_on=None)])

    assert [(event.kind, event.date, event.seen_at) for event in found.events[-2:]] == [
        (TimelineEventKind.RETRACTED, None, "2026-03-15T08:00:00.000Z"),
        (TimelineEventKind.SUPERSEDED, None, "2026-04-01T10:00:00.000Z"),
    ]


@pytest.mark.parametrize(
    ("corrected_on", "day"), [("2023-01-09", "2023-01-09"), (None, "2023-01-10")], ids=["its own day", "the update's"]
)
def test_a_correction_is_not_called_an_update(corrected_on: str | None, day: str) -> None:
    """The page says that it was corrected: its update is the correction."""
    page = dated(published_date="2021-04-02", updated_date="2023-01-10", is_corrected=True, corrected_on=corrected_on)

    (found,) = timelines([page])

    assert [(event.kind, event.date) for event in found.events] == [
        (TimelineEventKind.PUBLISHED, "2021-04-02"),
        (TimelineEventKind.CORRECTED, day),
        (TimelineEventKind.FIRST_SEEN, "2026-03-14"),
    ]


def test_words_that_a_correction_removed_are_corrected() -> None:
    """The page no longer holds them, and says why."""
    (found,) = timelines([replace(FAQ, is_corrected=True, corrected_on="2026-03-29")])

    assert [(event.kind, event.date) for event in found.events][-1] == (TimelineEventKind.CORRECTED, "2026-03-29")


def test_a_page_updated_by_its_retraction_is_retracted_only() -> None:
    """One change is told once."""
    (found,) = timelines([replace(REGISTRY, updated_date="2016-05-12")])

    assert [event.kind for event in found.events] == [
        TimelineEventKind.PUBLISHED,
        TimelineEventKind.RETRACTED,
        TimelineEventKind.FIRST_SEEN,
    ]


def test_a_date_in_the_future_makes_no_other_evidence_old() -> None:
    """A page that claims to be of 2099 was read in 2026: it is the newest of that day."""
    dreamer = dated("https://dreamer.example/a", claim_id="c_dream", published_date="2099-01-01")
    plain = dated(published_date="2025-04-02")

    found = timelines([dreamer, plain])

    assert [(one.claim_id, one.newest_support, one.is_outdated) for one in found] == [
        ("c_dream", "2026-03-14", False),
        ("c_mortality", "2025-04-02", False),
    ]


def test_a_claim_knows_both_sides_newest_dates_and_its_retracted_sources() -> None:
    """Facts a reader weighs: the only refutation is retracted, and dates nothing any more."""
    (found,) = timelines([REGISTRY, NEWS])

    assert (found.first_seen_at, found.newest_support, found.newest_refutation, found.retracted_sources) == (
        "2026-03-14T09:30:00.000Z",
        "2023-01",
        None,
        1,
    )


def test_two_quotes_of_one_page_are_one_publication() -> None:
    """A page is published once, however many of its sentences speak of the claim."""
    second = dated(quote="Mortality was the same in both groups.", published_date="2021-04-02", updated_date="2023-01")

    (found,) = timelines([NEWS, second])

    assert [event.kind for event in found.events] == [
        TimelineEventKind.PUBLISHED,
        TimelineEventKind.UPDATED,
        TimelineEventKind.FIRST_SEEN,
    ]


def test_an_update_on_the_day_of_publication_is_none() -> None:
    """Sites that set both dates alike have published once."""
    (found,) = timelines([dated(published_date="2021-04-02", updated_date="2021-04-02")])

    assert [event.kind for event in found.events] == [TimelineEventKind.PUBLISHED, TimelineEventKind.FIRST_SEEN]


@pytest.mark.parametrize(
    ("newest", "is_outdated"),
    [
        pytest.param("2020-06-01", False, id="two years after: still recent"),
        pytest.param("2021-01-01", True, id="in the third year after"),
    ],
)
def test_outdated_is_measured_against_the_newest_of_the_task(newest: str, is_outdated: bool) -> None:
    """SPEC §13: recent is within two years of the newest evidence year."""
    old = dated("https://www.fairpricemeds.org/2018", claim_id="c_cost", published_date="2018-11-01")
    new = dated("https://www.nimeth.gov/b", claim_id="c_other", published_date=newest)

    cost, other = timelines([old, new])

    assert (cost.is_outdated, other.is_outdated) == (is_outdated, False)


def test_a_claim_without_any_date_is_not_called_outdated() -> None:
    """What is not known is not said."""
    undated = dated("https://www.type2notebook.com/a", claim_id="c_blog")

    blog, _ = timelines([undated, dated(published_date="2024-01-01", claim_id="c_other")])

    assert (blog.is_outdated, blog.newest_support) == (False, None)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("A trial that began in 2009 ended in March 2013.", (2009, 2013)),
        ("2019年の調査では、処方の7割を占めた。", (2019,)),
        ("Between 2005 and 2010 prices doubled.", (2005, 2010)),
        ("The office found no signal since early 2016.", (2016,)),
        ("The study of 2014 patients lowered HbA1c by 2000 mg.", ()),
        ("The price rose to 2,000 yen and the dose to 1999.5 units.", ()),
        ("In a registry of 28,900 patients mortality fell by 34%.", ()),
        ("A total of 2020 people took part.", ()),
    ],
)
def test_years_that_a_text_speaks_of(text: str, years: tuple[int, ...]) -> None:
    """Years in English and Japanese prose; numbers of people, milligrams and yen are no years."""
    assert years_stated(text) == years


@pytest.mark.parametrize(
    ("quote", "dates", "expected"),
    [
        pytest.param(
            "In 2009 sitagliptin cost 130 yen a day.",
            {"published_date": "2024-05-01"},
            TimeMismatch("f_u", "u", 2009, "2024-05-01", is_ahead=False),
            id="an old statement on a newer page",
        ),
        pytest.param(
            "Until 2026 the patent holds.",
            {"published_date": "2019-05-01"},
            TimeMismatch("f_u", "u", 2026, "2019-05-01", is_ahead=True),
            id="a year after the page's date",
        ),
        pytest.param(
            "From 2009 to 2022 prices halved.", {"published_date": "2024-05-01"}, None, id="its newest year is recent"
        ),
        pytest.param(
            "In 2020 prices halved.",
            {"published_date": "2018-05-01", "updated_date": "2021-01-01"},
            None,
            id="the update is what counts",
        ),
        pytest.param("In 2024 prices halved.", {"published_date": "2024-05-01"}, None, id="the year of the page"),
        pytest.param("In 2009 prices halved.", {}, None, id="a page without a date"),
        pytest.param("Prices halved.", {"published_date": "2024-05-01"}, None, id="no year stated"),
    ],
)
def test_time_inconsistency(quote: str, dates: dict[str, str], expected: TimeMismatch | None) -> None:
    """Old claims against newer page dates, as a fact beside the quote."""
    row = DatedEvidence("c", "f_u", "p", "u", "d", Relation.SUPPORTS, quote, "2026-03-14T09:30:00.000Z", **dates)  # type: ignore[arg-type]

    assert date_mismatch(row) == expected


def test_nothing_gives_nothing() -> None:
    """A task without stances has no history."""
    assert timelines([]) == ()
