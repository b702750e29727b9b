"""Queries that fixed rules derive from the client's: which come first, when they end, and what their record says."""

from pathlib import Path

from lyra.model.page import FetchOutcome, FetchResult
from lyra.search.engines import known_engines
from lyra.search.federation import Federation, FederationOptions
from lyra.settings import Engines, Settings
from lyra.storage.database import Database
from tests.clocks import HeldClock

from .conftest import MOJEEK, ScriptedWeb, found_by


async def test_derived_queries_are_asked_best_first_and_end_with_the_budget(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """The mirror promises most, then the synonym; each names its parent, its rule and what spoke for it."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)
    engines = Engines(enabled=("mojeek",), queries_per_search=3, last_mile_below=0)
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("saxagliptin heart failure")

    assert [(one.query.text, one.query.rule, one.new_results) for one in answer.sent] == [
        ("saxagliptin heart failure", "asked", 1),
        ("サキサグリプチン 心不全", "mirror:ja", 1),
        ("saxagliptin cardiac failure", "synonym:heart failure→cardiac failure", 1),
    ]
    assert {one.query.parent for one in answer.sent} == {"saxagliptin heart failure"}
    assert [one.why.partition(" for ")[2] for one in answer.sent[1:]] == ["mirror:ja", "synonym"]
    assert answer.ended == "3 queries were sent"


async def test_derived_queries_end_where_they_bring_nothing_new(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """Two in a row with the same addresses, and the engines are left in peace."""
    scripted.serves("mojeek", MOJEEK)
    engines = Engines(enabled=("mojeek",), queries_per_search=10, last_mile_below=0)
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("saxagliptin heart failure")

    assert (len(answer.sent), answer.ended) == (3, "two derived queries running brought nothing new")


async def test_enough_addresses_need_no_derived_query(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """Where the first answer fills the page budget, nothing more is asked."""
    scripted.serves("mojeek", MOJEEK)
    engines = Engines(enabled=("mojeek",), queries_per_search=10, last_mile_below=0)
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("saxagliptin heart failure", FederationOptions(wanted=2))

    assert (len(answer.sent), answer.ended) == (1, "2 addresses are enough for 2 pages")


async def test_a_mirror_names_the_words_it_left_out(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """What the word list does not know is missing from the mirror, and its record says which words."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)
    engines = Engines(enabled=("mojeek",), queries_per_search=2, last_mile_below=0)
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("saxagliptin heart failure hospitalisation trial")

    mirror = answer.sent[1]
    assert (mirror.query.text, mirror.query.rule) == ("サキサグリプチン 心不全 入院", "mirror:ja")
    assert mirror.why.partition("; ")[2] == "left out: trial"


async def test_a_second_page_is_asked_for_where_the_first_one_was_full(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """It is the client's query that promises a second page, whatever the suffixes of a refutation brought."""
    full = "".join(f'<li><h2><a href="https://www.fda.gov/{number}">T</a></h2></li>' for number in range(8))
    whole = f'<ul class="results-standard">{full}</ul>'.encode()
    scripted.answers["engine:mojeek"] = lambda request: (
        FetchResult("", FetchOutcome.OK, status_code=200, body=whole)
        if request.url.endswith("q=zxqjwv")
        else found_by(request.url)
    )
    engines = Engines(enabled=("mojeek",), queries_per_search=2, last_mile_below=0)
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("zxqjwv", FederationOptions(refute=True))

    assert [one.query.rule for one in answer.sent][-2:] == ["refute:misconceptions", "page:2"]
