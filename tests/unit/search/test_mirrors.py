"""Mirrors word by word: which meaning is taken, what a part of a word says, and when no mirror is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from lyra.search.expand import lexicon
from lyra.search.mirrors import MirrorMaker
from lyra.word_lists import word_lists

_ENGLISH = {
    "測る": ("measure",),
    "裁判": ("trial", "court case"),
}
_JAPANESE = {
    "woodworm": ("木食い虫",),
    "part time": ("パートタイム",),
    "bolt": ("ボルト", "稲妻"),
    "nurse": ("看護師",),
}


@dataclass(frozen=True)
class Dictionary:
    """A few words in both directions, and no names."""

    def english_of(self, word: str) -> tuple[str, ...]:
        return _ENGLISH.get(word, ())

    def japanese_of(self, word: str) -> tuple[str, ...]:
        return _JAPANESE.get(word, ())

    def english_name_of(self, word: str) -> str | None:
        return None

    def japanese_name_of(self, word: str) -> str | None:
        return None


@dataclass(frozen=True)
class Directions:
    """An embedder that knows the direction of some texts; every other one lies between the axes."""

    known: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    model_id = "directions"
    dimension = 2

    async def embed(self, texts: Sequence[str]) -> Any:
        vectors = np.array([self.known.get(text, (0.7, 0.7)) for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def _mirror(query: str, known: Mapping[str, tuple[float, float]] | None = None) -> str | None:
    made = await MirrorMaker(Directions(known or {}), Dictionary()).mirror(query)
    return made.text if made else None


@pytest.mark.parametrize(
    ("rest", "mirror"),
    [
        pytest.param((1, 0), "看護師 試験", id="the first meaning fits"),
        pytest.param((0, 1), "看護師 裁判", id="the second meaning fits"),
        pytest.param((0.7, 0.7), "看護師 試験", id="both fit alike"),
    ],
)
async def test_the_rest_of_a_query_chooses_the_listed_meaning(rest: tuple[float, float], mirror: str) -> None:
    """A listed word of several meanings is understood by what the query says besides."""
    directions = {"nurse": rest, "試験": (1.0, 0.0), "裁判": (0.0, 1.0), "court case": (0.0, 1.0)}

    found = await _mirror("nurse trial", directions)

    assert found == mirror


async def test_a_meaning_is_explained_by_the_dictionarys_other_words() -> None:
    """裁判 alone says nothing to this embedder; "court case", which it also means, does."""
    directions = {"nurse": (0.0, 1.0), "試験": (1.0, 0.0), "裁判": (1.0, 0.0), "court case": (0.0, 1.0)}

    found = await _mirror("nurse trial", directions)

    assert found == "看護師 裁判"


@pytest.mark.parametrize(
    ("bolt", "mirror"),
    [
        pytest.param((1.0, 0.0), "ボルト 影響", id="one meaning leads"),
        pytest.param((0.7, 0.7), None, id="two are as near"),
    ],
)
async def test_a_doubted_word_makes_no_mirror(bolt: tuple[float, float], mirror: str | None) -> None:
    """Where a word of another meaning is as near as the chosen one, either may be what was asked."""
    found = await _mirror("bolt impact", {"bolt": bolt, "ボルト": (1.0, 0.0), "稲妻": (0.0, 1.0)})

    assert found == mirror


async def test_words_that_mean_the_same_are_no_doubt() -> None:
    """Both may be taken, and the more usual one is."""
    found = await _mirror("bolt impact", {"ボルト": (1.0, 0.0), "稲妻": (1.0, 0.1)})

    assert found == "ボルト 影響"


async def test_a_model_is_asked_where_a_word_is_doubted() -> None:
    """Its translation counts if it has one of the meanings."""

    async def translate(_query: str, _wanted: str) -> str:
        return "稲妻の影響"

    maker = MirrorMaker(Directions({"ボルト": (1.0, 0.0), "稲妻": (0.0, 1.0)}), Dictionary())

    made = await maker.mirror("bolt impact", translate)

    assert made is not None
    assert made.text == "稲妻の影響"


@pytest.mark.parametrize(
    ("query", "mirror"),
    [
        pytest.param("予算枠 影響", "budget quota effects", id="at the end"),
        pytest.param("偽サイト 影響", "fake website effects", id="at the beginning"),
        pytest.param("10枠 影響", None, id="after a figure"),
        pytest.param("予算珊 影響", None, id="not listed"),
        pytest.param("測り方 影響", "how to measure effects", id="how something is done"),
    ],
)
async def test_a_part_of_a_japanese_word_is_said_by_the_list(query: str, mirror: str | None) -> None:
    """What one character says inside a word is listed, for alone it is another word; after a figure it counts."""
    found = await _mirror(query)

    assert found == mirror


@pytest.mark.parametrize(
    ("query", "mirror"),
    [
        pytest.param("wood worm impact", "木食い虫 影響", id="two words are one"),
        pytest.param("part-time wages", "パートタイム 賃金", id="a hyphen is a blank"),
        pytest.param("wages per patient", "賃金 患者", id="a small word"),
        pytest.param("how many patients", "数 患者", id="a quantity"),
    ],
)
async def test_english_words_are_found_however_they_are_joined(query: str, mirror: str) -> None:
    """Blanks and hyphens vary; the dictionary has one of the spellings."""
    found = await _mirror(query)

    assert found == mirror


def test_what_queries_mean_is_listed_once() -> None:
    """A Japanese word in both lists would have two opinions, of which only one is read."""
    senses = word_lists("lyra.search", "senses", "ja").groups("english")
    bilingual = word_lists("lyra.search", "bilingual", "ja").groups("english")

    assert sorted(senses.keys() & bilingual.keys()) == []


def test_listed_english_words_are_in_lower_case() -> None:
    """They are looked up so."""
    assert [word for word in lexicon().japanese_senses if word != word.lower()] == []
