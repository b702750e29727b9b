"""JMdict and the names of JMnedict as the package `jamdict-data` brings them: a database read and never written.

Both belong to the Electronic Dictionary Research and Development Group and are used under its licence (CC BY-SA 4.0).
"""

import re
from collections.abc import Iterable
from pathlib import Path
from unicodedata import normalize

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

# Names of one thing; surnames and given names are written in too many ways.
_THINGS = "('place', 'company', 'organization', 'station', 'person', 'product', 'work', 'service')"
_ENGLISH_NAME = f"""
select g.text
from (
    select idseq
    from NEKanji
    where text = :word
    union
    select idseq
    from NEKana
    where text = :word
      and :word not glob '*[ぁ-ん]*'
) e
join NETranslation t on t.idseq = e.idseq
join NETransGloss g on g.tid = t.ID
where exists (select 1 from NETransType y where y.tid = t.ID and y.text in {_THINGS})
order by (select y.text in ('place', 'station') from NETransType y where y.tid = t.ID order by 1 limit 1), t.ID, g.rowid
limit 20
"""
_JAPANESE_NAME = f"""
with found as (
    select
        t.idseq,
        t.ID as tid,
        (
            select min(y.text in ('place', 'station'))
            from NETransType y
            where y.tid = t.ID and y.text in {_THINGS}
        ) as is_place
    from NETransGloss g
    join NETranslation t on t.ID = g.tid
    where g.text = :word
       or (
           g.text >= :word || ' (' and g.text < :word || ' )'
           and g.text not glob '*(abbr*'
           and g.text not glob '*(incorr*'
       )
)
select
    coalesce(
        (select k.text from NEKanji k where k.idseq = f.idseq order by k.ID limit 1),
        (select k.text from NEKana k where k.idseq = f.idseq order by k.ID limit 1)
    ) as headword
from found f
where f.is_place = (select min(is_place) from found)
  and (f.is_place = 0 or (select count(distinct idseq) from found where is_place = 1) = 1)
order by not exists (select 1 from NEKanji k where k.idseq = f.idseq), f.tid
limit 1
"""
# Syllables as Japanese has them; in foreign names "ou" and "oo" are no long o.
_ROMANISED = re.compile(
    r"(?:[kstpc]?(?:[kgnhbpmr]y|sh|ch|ts|[kgsztdnhbpmyrwjf])?[aiueo]{1,2}n?(?:-|\b)?)+", re.IGNORECASE
)
_LONG_O = re.compile(r"(?<=o)[ou]", re.IGNORECASE)
_LONG_U = re.compile(r"(?<=u)u")
_LEGAL_FORM = re.compile(r",? (?:Co\.|Inc\.|Ltd\.|Corp\.|Corporation|Company)(?:,? Ltd\.)?$")
_PARTS_OF_JAPAN = {"-fu": " Prefecture", "-ken": " Prefecture", "-shi": "", "-ku": " Ward"}


class JapaneseDictionary:
    """Looks words up; each look opens the file for itself, so that any thread may."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def english_of(self, word: str) -> tuple[str, ...]:
        """What a Japanese word, in its dictionary form, is in English."""
        return _distinct(_plain(gloss) for gloss in self._column(_ENGLISH, word))

    def japanese_of(self, word: str) -> tuple[str, ...]:
        """Japanese words one of whose meanings is exactly this English word or phrase, in lower case."""
        return _distinct(normalize("NFKC", one) for one in self._column(_JAPANESE, word))

    def english_name_of(self, word: str) -> str | None:
        """What a Japanese name of a place, a body, a work or a known person is in Latin letters."""
        found = _distinct(_latin(gloss) for gloss in self._column(_ENGLISH_NAME, word))
        return found[0] if len(found) == 1 else None

    def japanese_name_of(self, word: str) -> str | None:
        """How Japanese writes the name of a body, a work or a known person, or of a place where only one bears it."""
        first, _, last = word.rpartition(" ")
        for form in (word, f"{last} {first}") if first else (word,):
            if found := self._column(_JAPANESE_NAME, form):
                return normalize("NFKC", found[0])
        return None

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


def _latin(gloss: str) -> str:
    """A name as English writes it: JMnedict spells long vowels out and hangs the kind of place on (Oosaka-fu)."""
    words = _LEGAL_FORM.sub("", _plain(gloss)).split(" ")
    name = " ".join(_LONG_U.sub("", _LONG_O.sub("", one)) if _ROMANISED.fullmatch(one) else one for one in words)
    kind = next((one for one in _PARTS_OF_JAPAN if name.endswith(one)), "")
    return name.removesuffix(kind) + _PARTS_OF_JAPAN.get(kind, "")


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in found if text))
