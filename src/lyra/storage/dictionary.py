"""JMdict as the package `jamdict-data` brings it: a database of its own, read and never written.

JMdict belongs to the Electronic Dictionary Research and Development Group and is used under its licence (CC BY-SA 4.0).
"""

import re
from collections.abc import Iterable
from pathlib import Path

import apsw

_PARENTHESES = re.compile(r"\s*[(（][^()（）]*[)）]\s*")
# Senses that nobody means in a query of today.
_NOT_TODAY = "('obsolete term', 'archaism', 'vulgar expression or word', 'rare', 'obscure term', 'slang', \
'derogatory', 'children''s language', 'manga slang', 'Internet slang', 'dated term', 'historical term', \
'onomatopoeic or mimetic word', 'colloquialism', 'poetical term', 'idiomatic expression', 'archaic', 'jargon')"
# A word that means the English one only by the way is no translation of it.
_SENSES_IN, _GLOSSES_IN = 2, 4

_ENGLISH = f"""
with entries as (
    select idseq, min(is_kana) as is_kana
    from (
        select idseq, 0 as is_kana
        from Kanji
        where text = :word
        union all
        select idseq, 1
        from Kana
        where text = :word
    )
    group by idseq
)
select g.text
from entries e
join Sense s on s.idseq = e.idseq
join SenseGloss g on g.sid = s.ID
where +g.lang = 'eng'
  and not exists (select 1 from misc m where m.sid = s.ID and m.text in {_NOT_TODAY})
  and not exists (select 1 from stagk t where t.sid = s.ID and t.text <> :word and e.is_kana = 0)
order by
    e.is_kana and exists (select 1 from Kanji k where k.idseq = e.idseq)
        and not exists (
            select 1
            from misc m
            where m.sid = s.ID and m.text = 'word usually written using kana alone'
        ),
    not exists (
        select 1
        from Kanji k
        join KJP p on p.kid = k.ID
        where k.idseq = e.idseq and k.text = :word
        union all
        select 1
        from Kana k
        join KNP p on p.kid = k.ID
        where k.idseq = e.idseq and k.text = :word
    ),
    s.ID,
    g.rowid
limit 60
"""

_JAPANESE = f"""
with found as (
    select sid, min(rowid) as at, max(text = :word) as is_whole
    from SenseGloss
    where text in (:word, 'to ' || :word)
       or (text >= :word || ' (' and text < :word || ' )')
       or (text >= 'to ' || :word || ' (' and text < 'to ' || :word || ' )')
    group by sid
)
select
    coalesce(
        (
            select k.text
            from Kanji k
            left join KJP p on p.kid = k.ID
            where k.idseq = s.idseq
              and not exists (
                  select 1
                  from misc m
                  where m.sid = s.ID and m.text = 'word usually written using kana alone'
              )
              and not exists (select 1 from KJI i where i.kid = k.ID)
            order by p.text is null, k.ID
            limit 1
        ),
        (select k.text from Kana k where k.idseq = s.idseq order by k.ID limit 1)
    ) as headword
from found f
join Sense s on s.ID = f.sid
where not exists (select 1 from misc m where m.sid = s.ID and m.text in {_NOT_TODAY})
  and (select count(*) from Sense before where before.idseq = s.idseq and before.ID < s.ID) < {_SENSES_IN}
  and (select count(*) from SenseGloss before where before.sid = s.ID and before.rowid < f.at) < {_GLOSSES_IN}
order by
    coalesce(
        (
            select min(case when p.text glob 'nf*' then cast(substr(p.text, 3) as int) else 30 end)
            from Kanji k
            join KJP p on p.kid = k.ID
            where k.idseq = s.idseq
        ),
        (
            select min(case when p.text glob 'nf*' then cast(substr(p.text, 3) as int) else 30 end)
            from Kana k
            join KNP p on p.kid = k.ID
            where k.idseq = s.idseq
        ),
        60
    )
    + 12 * (select count(*) from Sense before where before.idseq = s.idseq and before.ID < s.ID)
    + 6 * (select count(*) from SenseGloss before where before.sid = s.ID and before.rowid < f.at)
    + 10 * (1 - f.is_whole)
limit 20
"""


class JapaneseDictionary:
    """Looks words up; each look opens the file for itself, so that any thread may."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def english_of(self, word: str) -> tuple[str, ...]:
        """What a Japanese word, in its dictionary form, is in English."""
        return _distinct(_plain(gloss) for gloss in self._column(_ENGLISH, word))

    def japanese_of(self, word: str) -> tuple[str, ...]:
        """Japanese words one of whose meanings is exactly this English word or phrase, in lower case."""
        return _distinct(self._column(_JAPANESE, word))

    def _column(self, statement: str, word: str) -> list[str]:
        uri = f"file:{self._path}?immutable=1"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            return [text for (text,) in connection.execute(statement, {"word": word})]
        finally:
            connection.close()


def _plain(gloss: str) -> str:
    """A gloss as one would write it in a query: without remarks in parentheses and the "to" of a verb."""
    bare = _PARENTHESES.sub(" ", _PARENTHESES.sub(" ", gloss)).strip()
    return bare.removeprefix("to ") if not bare.startswith("to be ") else bare.removeprefix("to be ")


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in found if text))
