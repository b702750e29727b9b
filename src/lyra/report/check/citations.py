"""Finds what a text cites and where: addresses, identifiers, numbers, notes, keys, authors with a year, ids of Lyra."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from lyra.model.page import identifiers_in
from lyra.report.check.authors import find_author_marks
from lyra.report.check.vocabulary import pattern
from lyra.text import nfkc
from lyra.urls import find_dois

_MOST_IN_RANGE = 50
_WEB = r"https?://(?:[^\s<>\"'「」『』（）。、，［］|()\[\]{}]|\([^\s()]*\))+"
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<shown>[^\[\]\n]{0,500})\]\(\s*<?(?P<url>" + _WEB + r")>?(?:\s+\"[^\"\n]{0,200}\")?\s*\)"
)
_NAMED_LINK = re.compile(r"\[(?P<shown>[^\[\]\n]{1,300})\]\[(?P<key>[^\[\]\n]{0,60})\]")
_FOOTNOTE = re.compile(r"\[\^(?P<key>[^\]\s]{1,60})\]")
_URL = re.compile(_WEB)
_PANDOC = re.compile(r"\[(?P<keys>(?:[^\[\]@\n]{0,40}-?@[\w:.#$%&+?<>~/-]{1,80}[^\[\]@;\n]{0,60};?){1,20})\]")
_LATEX = re.compile(
    r"\\(?:cite|citep|citet|parencite|textcite|autocite|footcite)\*?(?:\[[^\]\n]{0,80}\]){0,2}\{(?P<keys>[^{}\n]{1,300})\}"
)
_DOI = re.compile(r"(?:\bdoi:?\s*)?\b10\.\d{4,9}/[^\s\"'<>（）「」。、]+", re.IGNORECASE)
_PMID = re.compile(r"\bPMID:?\s*\d{4,9}\b", re.IGNORECASE)
_ARXIV = re.compile(r"\barXiv:\s*(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
# Pages, fragments, claims and works; the id of a task or search is no source.
_LYRA_ID = re.compile(r"\b(?!task_|s_|j_|rc_)[a-z]{1,8}_[0-9a-f]{12,16}\b")
_NUMBERS = re.compile(r"[\[［〔](?P<keys>\d{1,3}(?:\s?[,，、;–—‐−~〜-]\s?\d{1,3}){0,20})[\]］〕](?![(:])")
_SUPERSCRIPT = re.compile(r"(?<=[^\s¹²³⁰⁴-⁹])(?P<keys>[¹²³⁰⁴-⁹]{1,3}(?:[,⁻][¹²³⁰⁴-⁹]{1,3}){0,8})")
_SMALL_BRACKETS = re.compile(
    r"⁽?(?P<keys>[¹²³⁰⁴-⁹]{1,3}(?:[,˒⁻][¹²³⁰⁴-⁹]{1,3}){0,8})⁾|<sup>\s*(?:<a\s[^<>\n]{0,200}>)?\s*[\[(]?(?P<keys_2>\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})[\])]?\s*(?:</a>)?\s*</sup>"
)
# Superscripts whose markup was lost: ました15。 and "retracted.15 Then"; known by the list alone.
_BARE = re.compile(
    r"(?<=[\u3040-\u309f」』）％])(?P<keys>\d{1,3})(?=[。、])"
    r"|(?<=[a-z)%”\"’][.,;!?])(?P<keys_2>\d{1,3})(?=\s|\Z)|(?<=[.!?][”\"’])(?P<keys_3>\d{1,3})(?=\s|\Z)"
)
# Whatever stands in brackets and is what the list calls its entries: {NEMSO 2025}, [文献1、3], (Survey A).
_LISTED = re.compile(
    r"[\[［〔【{｛(（]\s*(?P<keys>[^\[\]［］〔〕【】{}｛｝()（）\n]{1,120}?)\s*[\]］〕】}｝)）](?![(:])"
)
_PLAIN_NUMBERS = re.compile(r"[\d\s,，、;–—‐−~〜-]+")
# What stands behind a key and a colon: [1: 214].
_PAGE = re.compile(r"[:：]\s?\d[\d–-]{0,8}$")
_NOTE_SIGN = re.compile(r"[（(]?(?:※|注|＊)(?P<keys>\d{1,3})[）)]?(?!\d)|(?<=[^\s*])\*(?P<star>\d{1,3})(?![\d*])")
# (3) at the end of a statement; (3) before words counts points.
_ROUND = re.compile(
    r"(?<=\S)\s?[(（](?P<keys>\d{1,3}(?:\s?[,，、;–-]\s?\d{1,3}){0,20})[)）](?=[.,;:。、．，]|[^\S\n]*(?:\n|\Z))"
)
# 【3】 behind words; before them it counts points.
_ANGLED = re.compile(r"(?<=\S)[【〈《](?P<keys>\d{1,3}(?:\s?[,，、;–-]\s?\d{1,3}){0,20})[】〉》]")
_LABEL = re.compile(
    r"\[(?P<keys>[A-Z][A-Za-z+]{1,12}'?\d{2,4}[a-z]?(?:\s?[,;]\s?[A-Z][A-Za-z+]{1,12}'?\d{2,4}[a-z]?){0,8})\]"
)
# 増加した1)。 as Japanese papers set it: behind a word, and no end of a bracket.
_RAISED = re.compile(
    r"(?<=[\u3040-\u30ff\u3400-\u9fff。」』％%])(?P<keys>\d{1,3}(?:[,、–〜-]\d{1,3}){0,8})[)）](?=[。、．，」\s]|\Z)"
)
# Notes that stand in the text: of wikis, LaTeX and pandoc.
_INLINE = re.compile(
    r"<ref(?:\s[^<>\n]{0,100})?>(?P<note>[^<]{1,600})</ref>"
    r"|\\foot(?:note|notetext)\{(?P<note_2>(?:[^{}]|\{[^{}]{0,200}\}){1,600})\}"
    r"|\^\[(?P<note_3>[^\[\]\n]{1,600})\]"
)
_CARET = re.compile(
    r"(?:(?<=[^\W\d_][^\W\d_])|(?<=[.,;:!?)\]”\"’」。]))\^(?P<keys>\d{1,3}(?:[,–-]\d{1,3}){0,8})\^?(?![\w\[])"
)
# ① and † behind words; at the beginning of a line they number what follows.
_SIGN = re.compile(r"(?<=\S)[^\S\n]?(?P<keys>[①-⑳]+|[†‡§¶]{1,3})")
# An address without its scheme.
_HOST = re.compile(r"(?<![\w/@.:-])(?:[a-z0-9-]{2,40}\.){1,4}[a-z]{2,12}/[^\s<>\"'「」『』（）。、，［］|()\[\]{}]+")
_PUNCTUATION = '.,;!?。、．，」』”’"'


class CitationKind(StrEnum):
    """UNKNOWN cites in a style that is not understood; SAME is ibid., NAME the name of a source in prose.

    NOTE has as values the words of entries or notes, of which each is meant.
    """

    URL = "url"
    IDENTIFIER = "identifier"
    KEY = "key"
    AUTHOR_YEAR = "author_year"
    LYRA_ID = "lyra_id"
    SAME = "same"
    NOTE = "note"
    NAME = "name"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Citation:
    """A mark in the text. `values` are addresses, identifiers, keys of the list of references, ids, or family names."""

    kind: CitationKind
    text: str
    start: int
    end: int
    values: tuple[str, ...] = ()
    # None where the mark has no year, or says that the source has none.
    years: tuple[int, ...] = ()
    # Which of the works of a year, as in 2024a.
    letter: str = ""
    # What is left of the mark as words of its sentence: of a link the words that are shown, of authors their names.
    shown: tuple[int, int] | None = None
    # Of authors all that is named, as it is written; what is not certain is a citation only where a source is found.
    name: str = ""
    is_certain: bool = True


def find_citations(text: str, keys: frozenset[str] = frozenset()) -> list[Citation]:
    """Every citation in order; `keys` are those of the list of references, by which signs such as ※1 are known."""
    taken = bytearray(len(text))
    found: list[Citation] = []
    for finder in _FINDERS:
        for one in finder(text, keys):
            if not any(taken[one.start : one.end]):
                taken[one.start : one.end] = b"\x01" * (one.end - one.start)
                if one.kind is not CitationKind.URL or one.values:
                    found.append(one)
    return sorted(found, key=lambda one: one.start)


def _inline_notes(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for match in _INLINE.finditer(text):
        yield Citation(CitationKind.NOTE, match[0], *match.span(), (_keys(match).strip(),))


def _links(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for match in _LINK.finditer(text):
        values = () if match["image"] else (_trimmed(match["url"]),)
        shown = None if match["image"] else match.span("shown")
        yield Citation(CitationKind.URL, match[0], *match.span(), values, shown=shown)
    for match in _NAMED_LINK.finditer(text):
        values = (match["key"] or match["shown"],)
        yield Citation(CitationKind.KEY, match[0], *match.span(), values, shown=match.span("shown"))


def _notes(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for match in _FOOTNOTE.finditer(text):
        yield Citation(CitationKind.KEY, match[0], *match.span(), (f"^{match['key']}",))
    for match in _PANDOC.finditer(text):
        values = tuple(re.findall(r"@([\w:.#$%&+?<>~/-]{1,80})", match["keys"]))
        yield Citation(CitationKind.KEY, match[0], *match.span(), tuple(one.rstrip(".") for one in values))
    for match in _LATEX.finditer(text):
        values = tuple(one.strip() for one in match["keys"].split(",") if one.strip())
        yield Citation(CitationKind.KEY, match[0], *match.span(), values)


def _addresses(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for match in _URL.finditer(text):
        url = _trimmed(match[0])
        yield Citation(CitationKind.URL, url, match.start(), match.start() + len(url), (url,))
    for match in _HOST.finditer(text):
        host = _trimmed(match[0])
        end = match.start() + len(host)
        yield Citation(CitationKind.URL, host, match.start(), end, (f"https://{host}",), is_certain=False)


def _identifiers(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for match in _DOI.finditer(text):
        value = next(iter(find_dois(match[0])), None)
        if value:
            end = match.start() + match[0].lower().index("10.") + len(value)
            yield Citation(CitationKind.IDENTIFIER, text[match.start() : end], match.start(), end, (f"doi:{value}",))
    for known in (_PMID, _ARXIV):
        for match in known.finditer(text):
            values = tuple(f"{one.kind}:{one.value}" for one in identifiers_in(match[0]))
            yield Citation(CitationKind.IDENTIFIER, match[0], *match.span(), values)
    for match in _LYRA_ID.finditer(text):
        yield Citation(CitationKind.LYRA_ID, match[0], *match.span(), (match[0],))


def _listed(text: str, keys: frozenset[str]) -> Iterator[Citation]:
    """Marks that are known by the list of references alone; plain numbers have rules of their own."""
    known = {key_form(one): one for one in keys if not one.startswith("^")}
    if not known:
        return
    for match in _LISTED.finditer(text):
        if _PLAIN_NUMBERS.fullmatch(match["keys"]):
            continue
        values = [known.get(one) or known.get(_bare_number(one)) for one in _named_keys(match["keys"])]
        found = tuple(one for one in values if one is not None)
        if found and len(found) == len(values):
            yield Citation(CitationKind.KEY, match[0], *match.span(), found)
    for match in pattern("citing", "named_number").finditer(text):
        value = known.get(key_form(_keys(match)))
        if value is not None:
            yield Citation(CitationKind.KEY, match[0], *match.span(), (value,))


def _named_keys(keys: str) -> list[str]:
    """文献1、3 as 文献1 and 文献3; without the page behind a colon."""
    found: list[str] = []
    bare = pattern("citing", "tail").sub("", _PAGE.sub("", key_form(keys)))
    parts = re.split(r"\s*[,，、;；・]\s*", bare)
    for part in (one for one in parts if not pattern("citing", "place_in_source").fullmatch(one)):
        before = re.match(r"\D+", found[-1]) if found else None
        found.append(f"{before[0]}{part}" if before and part.isdigit() else part)
    return found


def _bare_number(key: str) -> str:
    """1 of "source 1" and of #1."""
    return pattern("citing", "lead_of_number").sub("", key)


def key_form(key: str) -> str:
    """Equal for two ways to write one key: 乙第7号証 is 乙7, and Ex. 7 Exhibit 7."""
    plain = re.sub(r"第\s?(\d+)\s?号証?", r"\1", " ".join(nfkc(key).casefold().split()))
    return re.sub(r"^ex\.? (?=\d)", "exhibit ", plain)


def raised_numbers(text: str) -> frozenset[int]:
    """The numbers that stand as superscripts in a text, also where their markup was lost."""
    marks = [*_SMALL_BRACKETS.finditer(text), *_BARE.finditer(text)]
    return frozenset(int(one) for match in marks for one in _numbered(nfkc(_keys(match).replace("⁻", "-"))))


def bracketed_numbers(text: str) -> frozenset[int]:
    """The numbers that stand in square brackets in a text: [1], [2, 4–6]."""
    return frozenset(int(one) for match in _NUMBERS.finditer(text) for one in _numbered(match["keys"]))


def _keys(match: re.Match[str]) -> str:
    return next(value for value in match.groups() if value)


def _numbers(text: str, keys: frozenset[str]) -> Iterator[Citation]:
    for match in _SMALL_BRACKETS.finditer(text):
        values = _numbered(nfkc((match["keys"] or match["keys_2"]).replace("⁻", "-").replace("˒", ",")))
        kind = CitationKind.KEY if values and keys.issuperset(values) else CitationKind.UNKNOWN
        yield Citation(kind, match[0], *match.span(), values if kind is CitationKind.KEY else ())
    for match in _BARE.finditer(text) if "1" in keys else ():
        if _keys(match) in keys:
            yield Citation(CitationKind.KEY, match[0], *match.span(), (_keys(match),))
    for match in _NUMBERS.finditer(text):
        values = _numbered(match["keys"])
        yield Citation(CitationKind.KEY if values else CitationKind.UNKNOWN, match[0], *match.span(), values)
    for match in (*_ROUND.finditer(text), *_ANGLED.finditer(text)):
        values = _numbered(match["keys"])
        if values and keys.issuperset(values):
            yield Citation(CitationKind.KEY, match[0], *match.span(), values)
    for match in _SUPERSCRIPT.finditer(text):
        values = _numbered(nfkc(match["keys"].replace("⁻", "-")))
        if keys.issuperset(values):
            yield Citation(CitationKind.KEY, match[0], *match.span(), values)
        elif text[match.start() - 1] in _PUNCTUATION:  # else it is an exponent
            kind = CitationKind.KEY if any(map(str.isdigit, keys)) else CitationKind.UNKNOWN
            yield Citation(kind, match[0], *match.span(), values if kind is CitationKind.KEY else ())
    for match in _CARET.finditer(text):
        values = _numbered(match["keys"])
        if keys.issuperset(values):
            yield Citation(CitationKind.KEY, match[0], *match.span(), values)
    for match in _SIGN.finditer(text):
        values = tuple(nfkc(one) for one in match["keys"]) if "①" <= match["keys"][0] <= "⑳" else (match["keys"],)
        if keys.issuperset(values):
            yield Citation(CitationKind.KEY, match[0], *match.span(), values)
    for match in _NOTE_SIGN.finditer(text):
        kind = CitationKind.KEY if _keys(match) in keys else CitationKind.UNKNOWN
        if kind is CitationKind.KEY or match["keys"]:
            yield Citation(kind, match[0], *match.span(), (_keys(match),))
    for match in _RAISED.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not re.search(r"[(（][^)）]*\Z", before):
            values = _numbered(match["keys"])
            kind = CitationKind.KEY if keys.issuperset(values) else CitationKind.UNKNOWN
            yield Citation(kind, match[0], *match.span(), values)
    for match in _LABEL.finditer(text):
        yield Citation(CitationKind.KEY, match[0], *match.span(), tuple(re.split(r"\s?[,;]\s?", match["keys"])))


def _authors(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for one in find_author_marks(text):
        yield Citation(
            CitationKind.AUTHOR_YEAR,
            text[one.start : one.end].strip(),
            one.start,
            one.end,
            one.people,
            one.years,
            one.letter,
            one.shown,
            one.name,
            one.is_certain,
        )


def _others(text: str, _: frozenset[str]) -> Iterator[Citation]:
    for match in pattern("citing", "same_source").finditer(text):
        yield Citation(CitationKind.SAME, match[0], *match.span())
    for match in pattern("citing", "odd_style").finditer(text):
        yield Citation(CitationKind.UNKNOWN, match[0], *match.span())


# Those that hold others come first: an address holds an identifier, a link an address.
_FINDERS = (_inline_notes, _links, _notes, _addresses, _identifiers, _listed, _numbers, _authors, _others)


def _trimmed(url: str) -> str:
    bare = url.rstrip(".,;:!?*_’”")
    return bare[:-1] if bare.endswith(")") and bare.count(")") > bare.count("(") else bare


def _numbered(keys: str) -> tuple[str, ...]:
    """1, 3–5 as 1, 3, 4, 5."""
    found: list[str] = []
    for part in re.split(r"\s?[,，、;]\s?", keys):
        ends = [int(one) for one in re.findall(r"\d+", part)]
        last = min(ends[-1], ends[0] + _MOST_IN_RANGE)
        found += [str(one) for one in range(ends[0], last + 1)] if len(ends) > 1 else [str(one) for one in ends]
    return tuple(dict.fromkeys(found))
