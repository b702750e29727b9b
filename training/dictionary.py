"""Japanese words with English glosses, read from the JMdict, JMnedict and KANJIDIC tables of jamdict's database."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from pathlib import Path

ASIDE = re.compile(r"\([^)]*\)|\{[^}]*\}")
NAME_KINDS = ("place", "station", "organization", "company", "work", "product", "person")
GLOSSES_PER_WORD = 3


def word_glosses(database: Path) -> dict[str, list[str]]:
    """Glosses of every written form, commonest senses first; several entries of one form are joined."""
    with sqlite3.connect(database) as connection:
        glosses = first_glosses(connection)
        forms: dict[str, list[str]] = defaultdict(list)
        for table, entry, text in ranked_forms(connection):
            is_reading_of_kanji = table == "Kana" and len(text) < 3
            if not is_reading_of_kanji:
                forms[text] += [gloss for gloss in glosses[entry] if gloss not in forms[text]]
    return {text: found[:GLOSSES_PER_WORD] for text, found in forms.items() if found}


def first_glosses(connection: sqlite3.Connection) -> dict[int, list[str]]:
    """The first gloss of each of an entry's senses."""
    glosses: dict[int, list[str]] = defaultdict(list)
    query = """
        select s.idseq, min(g.rowid), g.text
        from Sense s join SenseGloss g on g.sid = s.ID
        group by s.ID
        order by s.idseq, s.ID
    """
    for entry, _, text in connection.execute(query):
        clean = clean_gloss(text)
        if clean and len(glosses[entry]) < GLOSSES_PER_WORD:
            glosses[entry].append(clean)
    return glosses


def ranked_forms(connection: sqlite3.Connection) -> list[tuple[str, int, str]]:
    """Kanji forms, then kana forms, those marked as common first."""
    query = """
        select '{0}', w.idseq, w.text
        from {0} w left join {1} p on p.kid = w.ID
        group by w.ID
        order by coalesce(min(p.text), 'z'), w.ID
    """
    kanji = connection.execute(query.format("Kanji", "KJP")).fetchall()
    return kanji + connection.execute(query.format("Kana", "KNP")).fetchall()


def common_forms(database: Path) -> set[str]:
    """Forms that the dictionary marks as frequent in newspapers or as basic words."""
    query = """
        select w.text from Kanji w join KJP p on p.kid = w.ID where p.text like 'nf%' or p.text = 'ichi1'
        union
        select w.text from Kana w join KNP p on p.kid = w.ID where p.text like 'nf%' or p.text in ('ichi1', 'gai1')
    """
    with sqlite3.connect(database) as connection:
        return {text for (text,) in connection.execute(query)}


def character_glosses(database: Path) -> dict[str, list[str]]:
    """English meanings of the kanji that have a grade or a frequency rank."""
    query = """
        select c.literal, m.value
        from character c join rm_group g on g.cid = c.ID join meaning m on m.gid = g.ID
        where m.m_lang = '' and (c.freq is not null or c.grade is not null)
        order by c.ID, m.rowid
    """
    glosses: dict[str, list[str]] = defaultdict(list)
    with sqlite3.connect(database) as connection:
        for literal, text in connection.execute(query):
            if len(glosses[literal]) < GLOSSES_PER_WORD:
                glosses[literal].append(text.lower())
    return dict(glosses)


def name_glosses(database: Path, limit: int) -> list[tuple[str, str]]:
    """Names of places, organisations, works and people in Japanese and in Latin script."""
    marks = ",".join("?" * len(NAME_KINDS))
    query = f"""
        select k.text, g.text
        from NEKanji k
        join NETranslation t on t.idseq = k.idseq
        join NETransType y on y.tid = t.ID
        join NETransGloss g on g.tid = t.ID
        where y.text in ({marks})
        order by case y.text when 'place' then 1 when 'station' then 2 when 'person' then 1 else 0 end, k.ID
        limit ?
    """
    with sqlite3.connect(database) as connection:
        rows = connection.execute(query, (*NAME_KINDS, limit)).fetchall()
    return [(text, clean_gloss(gloss)) for text, gloss in rows if clean_gloss(gloss)]


def clean_gloss(text: str) -> str:
    bare = ASIDE.sub("", text).strip().lower()
    return bare.removeprefix("to be ").removeprefix("to ").strip()
