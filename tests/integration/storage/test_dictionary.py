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
create table NEKanji (ID integer primary key, idseq integer, text text);
create table NEKana (ID integer primary key, idseq integer, text text);
create table NETranslation (ID integer primary key, idseq integer);
create table NETransGloss (tid integer, text text);
create table NETransType (tid integer, text text);
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
# Spelling, reading, kinds and name in Latin letters.
_NAMES = (
    (None, "トヨタ", ["company"], "Toyota"),
    ("豊田", "とよた", ["place", "surname"], "Toyota"),
    ("東京メトロ", "とうきょうメトロ", ["company"], "Tokyo Metro Co., Ltd."),
    ("大阪府", "おおさかふ", ["place"], "Oosaka-fu"),
    ("北海道大学", "ほっかいどうだいがく", ["organization"], "Hokkaidou University"),
    ("宮崎駿", "みやざきはやお", ["person"], "Miyazaki Hayao (anime creator) (1941.1-)"),
    ("本町", "ほんまち", ["place"], "Honmachi"),
    ("本町", "ほんちょう", ["place"], "Honchou"),
    ("小川", "おがわ", ["place"], "Ogawa"),
    ("緒川", "おがわ", ["place"], "Ogawa"),
    ("翔平", "しょうへい", ["given"], "Shouhei"),
    ("Ｕｂｅｒ", "ウーバー", ["company"], "Uber"),
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
    for number, (kanji, kana, kinds, name) in enumerate(_NAMES, 1):
        if kanji:
            connection.execute("insert into NEKanji values (?, ?, ?)", (number, number, kanji))
        connection.execute("insert into NEKana values (?, ?, ?)", (number, number, kana))
        connection.execute("insert into NETranslation values (?, ?)", (number, number))
        connection.execute("insert into NETransGloss values (?, ?)", (number, name))
        connection.executemany("insert into NETransType values (?, ?)", [(number, kind) for kind in kinds])
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


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("トヨタ", "Toyota"),
        ("東京メトロ", "Tokyo Metro"),
        ("大阪府", "Osaka Prefecture"),
        ("北海道大学", "Hokkaido University"),
        ("宮崎駿", "Miyazaki Hayao"),
        ("本町", None),
        ("翔平", None),
        ("ほんまち", None),
    ],
    ids=[
        "company",
        "legal form",
        "kind of place",
        "long vowel",
        "person",
        "read in two ways",
        "given name",
        "hiragana",
    ],
)
def test_a_japanese_name_in_latin_letters(dictionary: JapaneseDictionary, word: str, english: str | None) -> None:
    """As English writes it; none where it may be read in several ways."""
    assert dictionary.english_name_of(word) == english


@pytest.mark.parametrize(
    ("name", "japanese"),
    [("Toyota", "トヨタ"), ("Hayao Miyazaki", "宮崎駿"), ("Uber", "Uber"), ("Ogawa", None), ("Shouhei", None)],
    ids=["a body before a place", "family name last", "wide letters", "two places", "given name"],
)
def test_a_name_in_japanese(dictionary: JapaneseDictionary, name: str, japanese: str | None) -> None:
    """None where several places bear it, or only persons."""
    assert dictionary.japanese_name_of(name) == japanese
