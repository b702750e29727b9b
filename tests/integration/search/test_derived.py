"""Queries that fixed rules derive from the client's: which come first, when they end, and what their record says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lyra.model.page import FetchOutcome, FetchResult
from lyra.search.engines import known_engines
from lyra.search.federation import Federation, FederationOptions
from lyra.search.mirrors import MirrorMaker
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


class Words:
    """A dictionary of a few words, and an embedder that finds any two texts alike."""

    model_id, dimension = "words", 2

    def english_of(self, word: str) -> tuple[str, ...]:
        return {"円安": ("weak yen", "cheap yen")}.get(word, ())

    def japanese_of(self, word: str) -> tuple[str, ...]:
        return {"trial": ("試験",), "set": tuple(f"組{number}" for number in range(18))}.get(word, ())

    def english_name_of(self, word: str) -> str | None:
        return {"ソニー": "Sony", "高尾山": "Takaosan"}.get(word)

    def japanese_name_of(self, word: str) -> str | None:
        return {"Panama Canal": "パナマ運河", "Osaka": "小坂", "Xinjiang": "新疆"}.get(word)

    async def embed(self, texts: Sequence[str]) -> Any:
        return np.full((len(texts), 2), 0.7, dtype=np.float32)


class Strangers(Words):
    """An embedder that finds no text like the first."""

    async def embed(self, texts: Sequence[str]) -> Any:
        return np.array([[1, 0], *[[0, 1]] * (len(texts) - 1)], dtype=np.float32)


@pytest.mark.parametrize(
    ("query", "mirror"),
    [
        ("円安 中小企業 影響", "weak yen small and medium-sized enterprises effects"),
        ("Saxagliptin heart failure trial", "サキサグリプチン 心不全 試験"),
    ],
)
async def test_a_mirror_takes_what_the_list_lacks_from_the_dictionary(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path, query: str, mirror: str
) -> None:
    """Every content word is there, the most usual translation where the embedder sees no difference."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)
    engines = Engines(enabled=("mojeek",), queries_per_search=2, last_mile_below=0)
    settings = Settings(data_dir=tmp_path, engines=engines)
    words = Words()
    federation = Federation(known_engines(), scripted, db, clock, settings, mirrors=MirrorMaker(words, words))

    answer = await federation.search(query)

    assert answer.sent[1].query.text == mirror


@pytest.mark.parametrize(
    ("query", "translation", "asked"),
    [
        ("円安 雲海 影響", "weak yen sea of clouds effects", True),
        ("円安 雲海 影響", "affordable sea of clouds effects", False),
        ("円安 雲海 影響", "weak yen effects", False),
        ("円安 レカネマブ 影響", "weak yen lecanemab effects", True),
        ("円安 雲海 影響", None, False),
        ("円安 影響 受けない", "weak yen effects", False),
    ],
    ids=["faithful", "a word lost", "an unknown word lost", "an unknown name kept", "no answer", "denied"],
)
async def test_a_models_translation_is_asked_only_with_every_word(
    scripted: ScriptedWeb,
    db: Database,
    clock: HeldClock,
    tmp_path: Path,
    query: str,
    translation: str | None,
    asked: bool,
) -> None:
    """What the dictionary knows has to be in it; a mirror that lost a content word is not asked."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)
    engines = Engines(enabled=("mojeek",), queries_per_search=9, last_mile_below=0)
    settings = Settings(data_dir=tmp_path, engines=engines)
    words = Words()
    federation = Federation(known_engines(), scripted, db, clock, settings, mirrors=MirrorMaker(words, words))

    async def translate(_: str, wanted: str) -> str | None:
        return translation if wanted == "en" else None

    answer = await federation.search(query, translate=translate)

    assert (translation in [one.query.text for one in answer.sent]) is asked


async def test_an_unknown_word_is_sought_in_what_the_known_ones_leave() -> None:
    """The embedder finds "aquarium" unlike 雲海, so the translation took it for something else."""

    async def translate(_query: str, _wanted: str) -> str:
        return "weak yen aquarium effects"

    assert await MirrorMaker(Strangers(), Strangers()).mirror("円安 雲海 影響", translate) is None


@pytest.mark.parametrize(
    ("query", "mirror"),
    [
        pytest.param("WHO vaccine policy", "世界保健機関 ワクチン 政策", id="an abbreviation is no small word"),
        pytest.param("earthquake Japan 2024 causes", "地震 日本 2024 原因", id="words beside a figure"),
        pytest.param("Panama Canal drought", "パナマ運河 干ばつ", id="a name of several words"),
        pytest.param("OpenAI copyright lawsuit", "OpenAI 著作権 訴訟", id="an unknown name as it is"),
        pytest.param("Naomi Osaka injury", "Naomi Osaka 負傷", id="parts of a name are no places"),
        pytest.param("cotton Xinjiang exports", "綿 新疆 輸出", id="a place"),
        pytest.param("Apple tax Ireland", "アップル 税金 アイルランド", id="a name that is a word"),
        pytest.param("Climate Change Policy Japan", "気候変動 政策 日本", id="capitals everywhere"),
        pytest.param("ソニー 株価", "Sony stock price", id="a Japanese company"),
        pytest.param("climate policy set", None, id="a word of many senses"),
        pytest.param("vaccine policy wobblers", None, id="an unknown word"),
        pytest.param("高尾山 鼠算", None, id="an unknown Japanese word"),
    ],
)
async def test_names_are_carried_over_and_nothing_is_lost(query: str, mirror: str | None) -> None:
    """A name is found with its capital or kept in its letters; a word that is not known, or too vague, ends it."""
    made = await MirrorMaker(Words(), Words()).mirror(query)

    assert (made.text if made else None) == mirror


async def test_a_text_has_no_mirror() -> None:
    """Hundreds of words are no query, and cost no look into the dictionary."""
    assert await MirrorMaker(Words(), Words()).mirror("円安 影響 " * 40) is None


async def test_a_mirror_that_lost_a_word_is_not_asked(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """What neither list nor dictionary knows would be missing from it."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)
    engines = Engines(enabled=("mojeek",), queries_per_search=9, last_mile_below=0)
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("saxagliptin heart failure hospitalisation spoons")

    assert [one.query.rule for one in answer.sent if one.query.rule.startswith("mirror")] == []


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
