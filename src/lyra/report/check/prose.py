"""Sources that a sentence names in its words: "according to the Courier", 「港湾新報によると」."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lyra.claims.notation import western_figures
from lyra.model.check import Source
from lyra.report.check.names import LEAST_NAME, families, is_japanese_name, name_spans, short_forms
from lyra.report.check.references import Reference
from lyra.report.check.sources import Resolution, SourceIndex
from lyra.report.check.vocabulary import pattern
from lyra.text import nfkc

_ADDRESS = re.compile(r"[<(（]?https?://\S+|\bdoi:\s?\S+")
_QUOTED = re.compile(
    r"「([^「」\n]{2,200})」|『([^『』\n]{2,200})』|“([^“”\n]{2,200})”|[\"‘]([^\n\"]{2,200}?)[\"’](?!\w)"
)
_DATES = re.compile(r"[（(](?P<inner>[^（）()\n]{4,40})[）)]")
_BRACKET = re.compile(r"[(（\[［](?P<inner>[^()（）\[\]［］\n]{3,160})[)）\]］]")
_NOUN = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]{4,}")
_LEAST_TITLE = 4
_LONGEST_NAME, _MOST_NAME_WORDS = 24, 7
# How much a match counts: a date or title in brackets more than a name, a whole name more than a part of it.
_TITLE, _WHOLE, _PART, _DATE = 3.0, 2.0, 1.0, 3.0


@dataclass(frozen=True, slots=True)
class NamedSource:
    """What a sentence names, and where in it; `has_unread`: an entry so named has an address that was not read."""

    resolution: Resolution
    span: tuple[int, int]
    has_unread: bool = False


@dataclass(frozen=True, slots=True)
class Titled:
    """The names and the titles by which an entry or a source may be called; `text` is all that it says."""

    names: tuple[str, ...]
    titles: tuple[str, ...]
    text: str

    @property
    def nouns(self) -> tuple[str, ...]:
        """Long words of Japanese titles, by which a report may be called: 検証報告."""
        return tuple(one for title in self.titles for one in _NOUN.findall(title))


class ProseNames:
    """The names of a text's own list of references, or of the graph where it has none."""

    def __init__(self, references: Sequence[Reference], index: SourceIndex) -> None:
        self._listed = [(names_of_entry(one.text), one) for one in references if not one.stands_for]
        self._index = index
        self._read = [(_names_of_source(one), one) for one in index.sources]

    def resolve(self, sentence: str, before: Resolution | None) -> NamedSource | None:
        """What a sentence without marks cites; `before` is the last source of its paragraph."""
        cue = pattern("citing", "attribution").search(sentence)
        if cue is None:
            return self._in_brackets(sentence)
        found = self._of_list(sentence) or self._of_graph(sentence)
        same = pattern("citing", "same_named").search(sentence) if before is not None else None
        if before is None or same is None:
            return found
        is_before = found is None or set(before.sources) <= set(found.resolution.sources)
        return NamedSource(before, same.span(), has_unread=not before.sources) if is_before else found

    def _of_list(self, sentence: str) -> NamedSource | None:
        best = _best(sentence, [one for one, _ in self._listed], least=_PART)
        if best is None:
            return None
        entries = [self._listed[at][1] for at in best[0]]
        known = [self._index.entry(one) for one in entries]
        sources = tuple(dict.fromkeys(source for one in known for source in one.sources))
        has_unread = any(one.addresses and not one.sources for one in known)
        named = entries[0].text if len(entries) == 1 else sentence[slice(*best[1])]
        return NamedSource(Resolution(sources, named=named), best[1], has_unread) if sources or has_unread else None

    def _of_graph(self, sentence: str) -> NamedSource | None:
        """Where the list has no such name: whole names of sources, directly at words such as "according to"."""
        if not pattern("citing", "attributed_name").search(sentence):
            return None
        best = _best(sentence, [one for one, _ in self._read], least=_WHOLE)
        if best is None:
            return None
        sources = tuple(self._read[at][1] for at in best[0])
        return NamedSource(Resolution(sources, named=sentence[slice(*best[1])]), best[1])

    def _in_brackets(self, sentence: str) -> NamedSource | None:
        """A source whose whole name or title stands in brackets."""
        for match in _BRACKET.finditer(sentence):
            key = _bare(pattern("citing", "lead").sub("", match["inner"]))
            found = [one for titled, one in self._read if key in {_bare(each) for each in _whole_names(titled)}]
            if found:
                return NamedSource(Resolution(tuple(found), named=match["inner"]), match.span())
        return None


def _whole_names(one: Titled) -> tuple[str, ...]:
    parts = tuple(part for title in one.titles for part in _parts(title))
    return (*one.names, *parts)


def _bare(name: str) -> str:
    return re.sub(r"[\s“”\"'‘’「」『』*_]|^the\s", "", nfkc(name).casefold())


def names_of_entry(text: str) -> Titled:
    """The names before an entry's title, and its titles: "Kestrel Wire, Ann Lee: A day. https://…"."""
    bare = _ADDRESS.sub(" ", re.sub(r"<[^<>\n]{0,200}>|[*_]", " ", text)).replace("[", " ").replace("]", " ")
    quoted = tuple(next(one for one in match.groups() if one).strip() for match in _QUOTED.finditer(bare))
    behind = re.split(r"[”\"」』’]", bare)[-1] if quoted else ""
    lead = re.split(r"[“\"「『‘]", bare)[0] if quoted else re.split(r"[:：]|\. |\.$|　", bare)[0]
    rest = () if quoted else tuple(re.split(r"[:：]|\. |　", bare)[1:3])
    names = tuple(one.strip(" .　") for one in re.split(r"[,，、;；・&]| and |\s{2,}|\(\d{4}", lead))
    titles = tuple(one.strip(" .　") for one in (*quoted, *rest))
    names += tuple(
        one for each in re.split(r"[,，、;；(（]", behind) if (one := each.strip(" .　")) and _is_publisher(one)
    )
    plain = tuple(one for one in names if len(one) >= LEAST_NAME and not re.fullmatch(r"[\d年月日\s]+", one))
    return Titled(plain, tuple(part for one in titles for part in _parts(one)), bare)


def _is_publisher(words: str) -> bool:
    """Whether words behind a title name who published it: neither a date nor a remark."""
    if is_japanese_name(words):
        return len(words) <= _LONGEST_NAME and not re.search(r"[\d。]", nfkc(words))
    return words[0].isupper() and len(words.split()) <= _MOST_NAME_WORDS and not re.search(r"\d", words)


def _parts(title: str) -> tuple[str, ...]:
    """A title, and its parts that a colon, a wide blank or a date in brackets sets apart."""
    pieces = (title, *re.split(r"[:：　（）()\s]+" if is_japanese_name(title) else r"[:：()]\s*", title))
    return tuple(dict.fromkeys(one.strip() for one in pieces if _is_title_like(one.strip())))


def _is_title_like(piece: str) -> bool:
    if is_japanese_name(piece):
        return len(piece) >= _LEAST_TITLE and not re.fullmatch(r"(?:令和|平成)?[\d元年度月日号第回版]+", nfkc(piece))
    return len(piece.split()) > 1


def _names_of_source(source: Source) -> Titled:
    names = tuple(one for one in (*source.authors, source.site_name, source.venue) if len(one) >= LEAST_NAME)
    return Titled(names, (source.title,) if _is_title_like(source.title) else (), source.title)


def _best(sentence: str, known: Sequence[Titled], least: float) -> tuple[list[int], tuple[int, int]] | None:
    """Which entries fit a sentence best, and where it names the first of them."""
    inner = [match["inner"] for match in _DATES.finditer(sentence)]
    inner += [match[0] for match in pattern("citing", "day_of_issue").finditer(sentence)]
    scored = [_score(sentence, one, inner) for one in known]
    top = max((score for score, _ in scored), default=0.0)
    if top < least:
        return None
    fitting = [at for at, (score, _) in enumerate(scored) if score == top]
    return fitting, scored[fitting[0]][1]


def _score(sentence: str, one: Titled, inner: Sequence[str]) -> tuple[float, tuple[int, int]]:
    hits = [hit for name in one.names if (hit := _name_in(sentence, name))]
    titles = [(_TITLE, span) for title in one.titles if (span := _place(sentence, title, "named_before"))]
    nouns = [(_PART, span) for noun in one.nouns if (span := _place(sentence, noun, "short_name_before"))]
    hits += (titles or nouns)[:1]
    if not hits:
        return 0.0, (0, 0)
    dated = _DATE if any(_same_in(each, one.text) for each in inner) else 0.0
    return sum(score for score, _ in hits) + dated, max(hits)[1]


def _name_in(sentence: str, name: str) -> tuple[float, tuple[int, int]] | None:
    """Where a sentence has a name: whole, or by its last words as in "the Inspectorate", or its beginning or end."""
    span = _place(sentence, name, "named_before")
    if span:
        return _WHOLE, span
    for family in families(name):
        span = next(name_spans(sentence, family), None)
        if span and pattern("citing", "of_person").match(sentence, span[1]):
            return _PART, span
    for short in short_forms(name):
        span = _place(sentence, short, "short_name_before")
        if span:
            return _PART, span
    return None


def _place(sentence: str, name: str, behind: str) -> tuple[int, int] | None:
    """Where a sentence has a name; behind a Japanese one stands what ascribes something to it."""
    ascribed = pattern("citing", behind)
    found = name_spans(sentence, name)
    return next((one for one in found if not is_japanese_name(name) or ascribed.match(sentence, one[1])), None)


def _same_in(inner: str, text: str) -> bool:
    """Whether an entry has what stands in the brackets behind a name: a date, or words of its title."""
    wanted, known = (re.sub(r"\s", "", western_figures(nfkc(one))[0]) for one in (inner, text))
    return wanted in known
