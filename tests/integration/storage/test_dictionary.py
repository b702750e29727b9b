"""The dictionary that the extra brings: a few entries in the shape of JMdict's database."""

from pathlib import Path

import apsw
import pytest

from lyra.storage.dictionary import JapaneseDictionary

_TABLES = """
create table Kanji (ID integer primary key, idseq integer, text text);
create table Kana (ID integer primary key, idseq integer, text text);
create table KJP (kid integer, text text);
create table KNP (kid integer, text text);
create table KJI (kid integer, text text);
create table Sense (ID integer primary key, idseq integer);
create table SenseGloss (sid integer, lang text, text text);
create table misc (sid integer, text text);
create table stagk (sid integer, text text);
"""
USUALLY_KANA = "word usually written using kana alone"
# Spelling, reading, frequency band, and its senses: glosses, remark.
_ENTRIES = (
    ("引っ越し", "ひっこし", "nf10", [(["moving (dwelling, office, etc.)", "changing residence"], None)]),
    ("黴", "かび", None, [(["mold", "mould", "mildew"], USUALLY_KANA)]),
    ("鋳型", "いがた", "nf30", [(["mold", "template"], None)]),
    ("駄目", "だめ", "nf05", [(["no good", "not serving its purpose", "useless", "bad", "broken"], None)]),
    ("壊れた", "こわれた", None, [(["broken"], None)]),
    ("咳", "せき", "nf20", [(["cough"], None)]),
    (None, "ゴホン", None, [(["cough"], "onomatopoeic or mimetic word")]),
    ("勝つ", "かつ", "nf02", [(["to win", "to gain victory"], None)]),
)


@pytest.fixture
def dictionary(tmp_path: Path) -> JapaneseDictionary:
    path = tmp_path / "jamdict.db"
    connection = apsw.Connection(str(path))
    connection.execute(_TABLES)
    for number, (kanji, kana, band, senses) in enumerate(_ENTRIES, 1):
        if kanji:
            connection.execute("insert into Kanji values (?, ?, ?)", (number, number, kanji))
        connection.execute("insert into Kana values (?, ?, ?)", (number, number, kana))
        if band:
            connection.execute("insert into KJP values (?, ?)", (number, band))
        for place, (glosses, remark) in enumerate(senses):
            sense = number * 10 + place
            connection.execute("insert into Sense values (?, ?)", (sense, number))
            connection.executemany("insert into SenseGloss values (?, 'eng', ?)", [(sense, one) for one in glosses])
            if remark:
                connection.execute("insert into misc values (?, ?)", (sense, remark))
    connection.close()
    return JapaneseDictionary(path)


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("引っ越し", ("moving", "changing residence")),
        ("かび", ("mold", "mould", "mildew")),
        ("勝つ", ("win", "gain victory")),
        ("雪下ろし", ()),
    ],
    ids=["remarks in parentheses fall", "by its reading", "a verb", "unknown"],
)
def test_a_japanese_word_in_english(dictionary: JapaneseDictionary, word: str, english: tuple[str, ...]) -> None:
    """Glosses as one would write them in a query, in the dictionary's order."""
    assert dictionary.english_of(word) == english


@pytest.mark.parametrize(
    ("word", "japanese"),
    [
        ("mold", ("鋳型", "かび")),
        ("broken", ("壊れた",)),
        ("cough", ("咳",)),
        ("win", ("勝つ",)),
        ("moving", ("引っ越し",)),
        ("spoon", ()),
    ],
    ids=["kana where usual", "not by the way", "no sounds", "a verb", "before a remark", "unknown"],
)
def test_an_english_word_in_japanese(dictionary: JapaneseDictionary, word: str, japanese: tuple[str, ...]) -> None:
    """Words whose first meanings are this one, the frequent ones first."""
    assert dictionary.japanese_of(word) == japanese
