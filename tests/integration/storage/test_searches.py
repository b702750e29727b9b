"""Records of searches and of the addresses they found."""

from datetime import timedelta

import pytest

from lyra.clock import stamp
from lyra.errors import StorageError
from lyra.model.edge import Relation
from lyra.model.event import Event
from lyra.model.search import (
    CandidateState,
    SearchOptions,
    SearchOutcome,
    SearchProblem,
    SearchStatus,
    SearchTally,
    Source,
)
from lyra.redact.key import redactor_of
from lyra.storage import candidates, claims, edges, journal, pages, searches, tasks

OPTIONS = SearchOptions(
    engines=("mojeek",),
    sources=(Source.WEB, Source.ACADEMIC),
    max_pages=5,
    refute=True,
    claim_ids=("c_1",),
    auth_priority="high",
)


@pytest.fixture
async def task(db, make):
    await db.write(tasks.insert, make.task())


@pytest.mark.parametrize("options", [SearchOptions(), OPTIONS], ids=["defaults", "all set"])
async def test_a_search_comes_back_as_it_was_stored(db, make, task, options):
    """Options with their defaults and every metric survive."""
    search = make.search(
        options=options, novelty_score=0.25, retry_at=make.now, error_remedy="Wait.", is_retryable=True
    )

    await db.write(searches.insert, search)

    assert await db.read(searches.get, search.id) == search


async def test_saving_writes_status_phase_and_metrics(db, make, task):
    """What a search has come to is written whole, so that a restart and every face see the same."""
    await db.write(searches.insert, make.search())
    ended = make.search(
        status=SearchStatus.SATISFIED,
        phase="done",
        pages_fetched=4,
        useful_fragments=3,
        harvest_rate=0.75,
        satisfaction_score=1.0,
        novelty_score=0.5,
        independent_sources=3,
        has_primary_source=True,
        started_at=make.now,
        finished_at=make.now + timedelta(seconds=9),
    )

    await db.write(searches.save, ended)

    assert await db.read(searches.of_task, make.task_id) == (ended,)


async def test_saving_an_unknown_search_is_an_error(db, make, task):
    """Metrics must not vanish silently."""
    with pytest.raises(StorageError) as refused:
        await db.write(searches.save, make.search("s_ffffffffffff"))

    assert refused.value.message == "There is no search 's_ffffffffffff'."


async def test_ending_from_outside_spares_what_has_ended(db, make, task):
    """Stopping a task cancels running searches only."""
    await db.write(searches.insert, make.search("s_1"))
    await db.write(searches.insert, make.search("s_2", status=SearchStatus.SATISFIED, reason="enough"))
    for search_id in ("s_1", "s_2"):
        await db.write(searches.end, search_id, SearchStatus.CANCELLED, "the task was stopped", make.now)

    found = await db.read(searches.of_task, make.task_id)

    assert [(search.status, search.reason) for search in found] == [
        (SearchStatus.CANCELLED, "the task was stopped"),
        (SearchStatus.SATISFIED, "enough"),
    ]


SIGNED = "https://a.example/?sig=nVaG3kXo8mSp2Yq0ZTfRw1bJc5dLhE7u"
WAITING = "https://b.example/?sig=nVaG3kXo8mSp2Yq0ZTfRw1bJc5dLhE7u"


@pytest.mark.parametrize(
    "end",
    [
        lambda make: (searches.save, make.search(query=SIGNED, status=SearchStatus.SATISFIED)),
        lambda make: (searches.end, make.search_id, SearchStatus.CANCELLED, "stopped", make.now),
    ],
    ids=["by its own process", "from outside"],
)
async def test_secrets_in_addresses_go_when_the_search_ends(db, make, task, end):
    """Fetching needs them, so that a running search keeps them; so does a page that waits for a person."""
    await db.write(searches.insert, make.search(query=SIGNED))
    await db.write(candidates.add, [make.candidate(SIGNED), make.candidate(WAITING, rank=2)])
    await db.write(
        lambda connection: connection.execute(
            "insert into intervention_queue (id, task_id, domain, url, auth_type, queued_at) values (?, ?, ?, ?, ?, ?)",
            ("q_1", make.task_id, "b.example", WAITING, "captcha", stamp(make.now)),
        )
    )
    await db.write(searches.save, make.search(query=SIGNED, phase="fetch"))
    running = await _addresses(db, make)

    await db.write(*end(make))

    hidden = redactor_of(db.path.parent).url(SIGNED)
    assert "sig=redacted-" in hidden
    assert running == [SIGNED, SIGNED, WAITING]
    assert await _addresses(db, make) == [hidden, hidden, WAITING]


async def _addresses(db, make):
    """What was asked, then what was found."""
    search = await db.read(searches.get, make.search_id)
    return [search.query, *(one.url for one in await db.read(candidates.of_search, make.search_id))]


async def test_a_tally_counts_pages_and_useful_fragments(db, make, graph):
    """Five pages were fetched; six fragments mention a claim or take a stance on this task's claims."""
    tally = await db.read(searches.tally, make.search_id)

    assert tally == SearchTally(pages_fetched=5, pages_read=5, useful_fragments=6)


@pytest.mark.parametrize("state", [CandidateState.REUSED, CandidateState.ABSTRACT])
async def test_a_page_from_the_store_is_read_and_not_fetched(db, make, graph, state):
    """A second search reaches two known pages with three useful fragments: its harvest is counted over both."""
    await db.write(searches.insert, make.search("s_2"))
    for page in graph.p[:2]:
        known = make.candidate(page.url, search_id="s_2", state=state, page_id=page.id)
        await db.write(candidates.add, [known])

    tally = await db.read(searches.tally, "s_2")

    assert tally == SearchTally(pages_fetched=0, pages_read=2, useful_fragments=3)


async def test_a_task_counts_a_page_and_its_fragments_once(db, make, graph):
    """Two searches reached the same two pages: the task has read five, with six useful fragments."""
    await db.write(searches.insert, make.search("s_2", created_at=make.now + timedelta(hours=1)))
    for page in graph.p[:2]:
        known = make.candidate(page.url, search_id="s_2", state=CandidateState.REUSED, page_id=page.id)
        await db.write(candidates.add, [known])

    whole = await db.read(searches.tally_of_tasks, make.task_id)
    recent = await db.read(searches.tally_of_tasks, None, stamp(make.now + timedelta(minutes=1)))
    other = await db.read(searches.tally_of_tasks, make.other_task_id)

    assert whole == SearchTally(pages_fetched=5, pages_read=5, useful_fragments=6)
    assert recent == SearchTally(pages_fetched=0, pages_read=2, useful_fragments=3)
    assert other == SearchTally(0, 0, 0)


async def test_a_source_that_gave_only_a_claim_is_heard(db, make, graph):
    """What a search has heard are the edges of useful fragments: a claim's own text counts where it was judged neutral,
    a page that was found and never read does not."""
    page = make.page("https://silent.example.net/a", "example.net")
    said = make.fragment(page, "Gliptins are taken once a day.")
    unread = make.page("https://unread.example.net/b", "unread.net")
    unsaid = make.fragment(unread, "Gliptins lower HbA1c.")
    await db.write(searches.insert, make.search("s_2"))
    await db.write(pages.save, page, [said])
    await db.write(pages.save, unread, [unsaid])
    found = make.candidate(page.url, search_id="s_2", state=CandidateState.FETCHED, page_id=page.id)
    failed = make.candidate(unread.url, search_id="s_2", state=CandidateState.FAILED, page_id=unread.id)
    await db.write(candidates.add, [found, failed])
    await db.write(claims.add_mentions, [make.mention(graph.c4, said)])
    neutral = make.stance(said, graph.c4, Relation.NEUTRAL, 0.9, is_origin=True)
    await db.write(edges.insert_many, [neutral, make.stance(unsaid, graph.c1, Relation.SUPPORTS, 0.9)])

    rows = await db.read(edges.evidence_of_search, "s_2")

    assert [(row.domain, row.relation) for row in rows] == [("example.net", Relation.NEUTRAL)]


async def test_known_addresses_of_a_search_are_not_added_again(db, make, task):
    """A restarted search finds the same results: the second time none of them is new, and its state is kept."""
    await db.write(searches.insert, make.search())
    first = make.candidate("https://example.org/1", rank=1)
    await db.write(candidates.add, [first])
    await db.write(candidates.set_state, first.id, CandidateState.FAILED, "timed out")

    added = await db.write(candidates.add, [first, make.candidate("https://example.org/2", rank=2)])

    found = await db.read(candidates.of_search, make.search_id)
    assert added == 1
    assert [(c.url, c.state) for c in found] == [
        ("https://example.org/1", CandidateState.FAILED),
        ("https://example.org/2", CandidateState.PENDING),
    ]


async def test_pending_candidates_come_by_score_then_rank(db, make, task):
    """The most promising is fetched first; what is done with is not pending."""
    await db.write(searches.insert, make.search())
    rows = [
        make.candidate(f"https://example.org/{i}", rank=i, snippet="心不全", date="2024-01-01") for i in range(1, 5)
    ]
    await db.write(candidates.add, rows)
    await db.write(candidates.set_scores, [(rows[2].id, 0.9), (rows[3].id, 0.95)])
    await db.write(candidates.set_state, rows[3].id, CandidateState.SKIPPED, "robots")

    pending = await db.read(candidates.pending, make.search_id, 2)

    assert [(c.url, c.score, c.snippet, c.date) for c in pending] == [
        ("https://example.org/3", 0.9, "心不全", "2024-01-01"),
        ("https://example.org/1", 0.0, "心不全", "2024-01-01"),
    ]


async def test_a_fetched_candidate_names_its_page(db, make, task):
    """The page is found again through the task that reached it."""
    await db.write(searches.insert, make.search())
    page = make.page("https://example.org/1")
    candidate = make.candidate(page.url)
    await db.write(pages.save, page, [])
    await db.write(candidates.add, [candidate])
    await db.write(candidates.set_state, candidate.id, CandidateState.FETCHED, None, page.id)

    reached = await db.read(lambda c: c.execute("select task_id, page_id from task_pages").fetchall())

    assert reached == [(make.task_id, page.id)]


async def test_problems_name_engines_and_pages_that_gave_nothing(db, make, task):
    """Blocked, failed and empty are never confused: what failed is told in words."""
    await db.write(searches.insert, make.search())
    failed = make.candidate("https://example.org/1", state=CandidateState.BLOCKED, reason="403 from the site")
    fine = make.candidate("https://example.org/2", state=CandidateState.FETCHED)
    await db.write(candidates.add, [failed, fine])
    answers = {
        "mojeek": {"outcome": "blocked", "reason": "captcha"},
        "estat": {"outcome": "blocked", "reason": "not asked", "key_setting": "registries.estat_key"},
        "wikidata": {"outcome": "empty", "reason": "It knows none."},
    }
    await db.write(
        journal.append,
        [
            Event("answer", make.now, name, details, task_id=make.task_id, search_id=make.search_id)
            for name, details in answers.items()
        ],
    )

    problems = await db.read(candidates.problems, make.search_id, 10)

    assert problems == (
        SearchProblem("mojeek", SearchOutcome.BLOCKED, "captcha"),
        SearchProblem("estat", SearchOutcome.BLOCKED, "not asked", "registries.estat_key"),
        SearchProblem("https://example.org/1", None, "403 from the site"),
    )
