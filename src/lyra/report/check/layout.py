"""A text as a checker sees it: sentences without marks and markup, each with its place and what it cites."""

import bisect
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from lyra.claims.sentences import sentence_spans
from lyra.model.check import Place
from lyra.report.check.citations import Citation, CitationKind, find_citations
from lyra.report.check.named_marks import ListNames, find_named_marks
from lyra.report.check.notes import with_pointed_notes
from lyra.report.check.references import Reference, find_references, is_heading
from lyra.report.check.vocabulary import pattern

_FENCE = re.compile(r"^ {0,3}(?P<sign>```+|~~~+)[^\n]*\n.*?(?:^ {0,3}(?P=sign)[`~]*\s*$|\Z)", re.MULTILINE | re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\s*(?:\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+|<[^<>\s][^<>\n]{0,200}>")
_LEFT_BRACKETS = re.compile(
    r"[(（\[［]\s*(?:(?:see|cf\.|e\.g\.|,|;|、|；|・|and|&|参照|および|及び|より|出典[:：]?)\s*)*[)）\]］]"
)
_QUOTE_LINE = re.compile(r"^ {0,3}>[ \t]?")
# The last line of a quotation that is set apart: who wrote it.
_ATTRIBUTION = re.compile(r"\n[^\S\n]*[—–―][^\S\n]*[^\n]*\s*\Z")
_REPORTED = re.compile(r"と(?!く|も|ころ|ても|き[、は])")
_IN_BRACKETS = re.compile(r"\s*(?:\([^()\n]{1,400}\)|（[^（）\n]{1,400}）)[\s.。]*")
_LEFT_COMMA = re.compile(r"(?<=[(（])\s*[,;:、，]")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
# The number of a paragraph, which counts nothing.
_ORDINAL = re.compile(
    r"(?:\A|(?<=\n\n))[^\S\n]*[(（]?(?:\d{1,3}(?:[.．)）][^\S\n]*(?=\D)|\u3000+)|\d{1,2}(?:\.\d{1,2}){1,3}[.)）]?[^\S\n]+(?=[^\W\da-z]))"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`plain` are its words without marks; `mask` is the same stretch of the text with blanks for them.

    A cell of a table has its row and column, counted from 0.
    """

    start: int
    end: int
    plain: str
    mask: str
    paragraph: int
    citations: tuple[Citation, ...] = ()
    is_block_quote: bool = False
    cell: tuple[int, int] | None = None

    @property
    def cites_by_heading(self) -> bool:
        """Whether it cites nothing but what the heading above it does."""
        return bool(self.citations) and all(one.end <= self.start for one in self.citations)

    @property
    def is_statement(self) -> bool:
        """Whether it can say something of a source: no cell of a table, and no words before a colon."""
        return not self.is_block_quote and self.cell is None and not self.plain.endswith((":", "："))


@dataclass(frozen=True)
class Layout:
    """A text taken apart; `mask` is as long as the text, with blanks for marks and markup."""

    text: str
    mask: str
    sentences: tuple[Sentence, ...]
    references: tuple[Reference, ...]
    _starts: list[int] = field(repr=False, default_factory=list)

    def place(self, start: int, end: int) -> Place:
        line = bisect.bisect_right(self._starts, start)
        return Place(line, start - self._starts[line - 1] + 1, start, end)

    @cached_property
    def _begins(self) -> list[int]:
        return [one.start for one in self.sentences]

    def between(self, start: int, end: int) -> tuple[Sentence, ...]:
        """The sentences that share a character with this stretch."""
        first = max(0, bisect.bisect_right(self._begins, start) - 1)
        last = bisect.bisect_left(self._begins, end)
        return tuple(one for one in self.sentences[first:last] if start < one.end)

    def before(self, start: int) -> Sentence | None:
        """The last sentence that begins before a place."""
        at = bisect.bisect_left(self._begins, start) - 1
        return self.sentences[at] if at >= 0 else None

    def paragraph_of(self, sentence: Sentence) -> tuple[Sentence, ...]:
        """The sentences of its paragraph; of a cell those of its row."""
        at = bisect.bisect_left(self._begins, sentence.start)
        first = last = at
        while first > 0 and self.sentences[first - 1].paragraph == sentence.paragraph:
            first -= 1
        while last < len(self.sentences) and self.sentences[last].paragraph == sentence.paragraph:
            last += 1
        row = sentence.cell[0] if sentence.cell else None
        return tuple(one for one in self.sentences[first:last] if row is None or (one.cell and one.cell[0] == row))

    def heading_above(self, sentence: Sentence) -> str:
        """The last heading before a sentence."""
        at = bisect.bisect_left(self._headings, (sentence.start, "")) - 1
        return self._headings[at][1] if at >= 0 else ""

    @cached_property
    def _headings(self) -> list[tuple[int, str]]:
        lines = zip(self._starts, self.text.split("\n"), strict=True)
        return [(start, line) for start, line in lines if is_heading(line)]

    def next_to(self, sentence: Sentence, step: int) -> Sentence | None:
        """The sentence so many after this one, if it is in the same paragraph."""
        at = bisect.bisect_left(self._begins, sentence.start) + step
        other = self.sentences[at] if 0 <= at < len(self.sentences) else None
        return other if other is not None and other.paragraph == sentence.paragraph else None


def lay_out(text: str) -> Layout:
    """The sentences of a text in Markdown or plain text, with what each cites."""
    references = with_pointed_notes(find_references(text))
    mask = _without_markup(text, references)
    keys = frozenset(one.key for one in references if one.key)
    known = ListNames(references)
    citations = _with_named(find_citations(mask, keys), find_named_marks(mask, known))
    _blank_citations(mask_chars := list(mask), text, citations)
    for match in pattern("citing", "source_line").finditer(mask):
        if any(match.start() <= one.start < match.end() for one in citations):
            _blank_span(mask_chars, *match.span(match.lastgroup or 0))
    masked = "".join(mask_chars)
    masked = _LEFT_COMMA.sub(_blank, _LEFT_BRACKETS.sub(_blank, masked))
    masked = _EMPHASIS.sub(_blank, masked)
    sentences = _under_headings(text, _sentences(masked, citations), keys, known)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return Layout(text, masked, tuple(sentences), tuple(references), starts)


def _under_headings(text: str, sentences: list[Sentence], keys: frozenset[str], known: ListNames) -> list[Sentence]:
    """What a heading cites holds for the sentences below it, where none of these cites anything itself."""
    sections: list[tuple[int, str]] = [(0, "")]
    at = 0
    for line in text.split("\n"):
        if is_heading(line):
            sections.append((at, line))
        at += len(line) + 1
    starts = [one.start for one in sentences]
    found: list[Sentence] = []
    for (start, line), (end, _) in pairwise([*sections, (len(text) + 1, "")]):
        own = sentences[bisect.bisect_left(starts, start) : bisect.bisect_left(starts, end)]
        marks = _of_heading(line, start, keys, known) if own and not any(one.citations for one in own) else ()
        found += [replace(one, citations=marks) if marks and one.is_statement else one for one in own]
    return found


def _of_heading(line: str, start: int, keys: frozenset[str], known: ListNames) -> tuple[Citation, ...]:
    """The addresses, identifiers and keys in a heading; else what it names, where it is nothing but a name."""
    kinds = {CitationKind.URL, CitationKind.IDENTIFIER, CitationKind.KEY}
    marks = [one for one in find_citations(line, keys) if one.kind in kinds and one.is_certain]
    words = line.strip("# \t*")
    values = () if marks or known.is_title(words) else known.named(words)
    if values:
        marks = [Citation(CitationKind.NOTE, words, line.index(words), line.index(words) + len(words), values)]
    return tuple(replace(one, start=one.start + start, end=one.end + start, shown=None) for one in marks)


def _with_named(citations: list[Citation], named: list[Citation]) -> list[Citation]:
    """With the marks that call an entry by its name, where no other mark stands."""
    taken = {at for one in citations for at in range(one.start, one.end)}
    free = [one for one in named if taken.isdisjoint(range(one.start, one.end))]
    return sorted((*citations, *free), key=lambda one: one.start)


def _without_markup(text: str, references: list[Reference]) -> str:
    """The text with blanks for code, comments, headings and the list of references; as long as before."""
    mask = text
    for form in (_FRONT_MATTER, _FENCE, _COMMENT):
        mask = form.sub(_blank, mask)
    mask = _ORDINAL.sub(_blank, _TABLE_RULE.sub(_blank_rule, mask))
    chars = list(mask)
    for one in references:
        _blank_span(chars, one.start, one.end)
    at = 0
    for line in text.split("\n"):
        if is_heading(line):
            _blank_span(chars, at, at + len(line))
        at += len(line) + 1
    return "".join(chars)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _blank_rule(match: re.Match[str]) -> str:
    """The line below a table's heads: its bars stay, so that the table stays one paragraph."""
    return re.sub(r"[^\n|]", " ", match[0]) if match[0].lstrip().startswith("|") else _blank(match)


def _blank_span(chars: list[str], start: int, end: int) -> None:
    for at in range(start, end):
        if chars[at] != "\n":
            chars[at] = " "


def _blank_citations(chars: list[str], text: str, citations: list[Citation]) -> None:
    """Marks become blanks; of a link the words stay, unless brackets hold nothing else."""
    ends = {one.end for one in citations}
    for one in citations:
        if one.shown is None or _is_bracketed(text, one, ends):
            _blank_span(chars, one.start, one.end)
        else:
            _blank_span(chars, one.start, one.shown[0])
            _blank_span(chars, one.shown[1], one.end)


def _is_bracketed(text: str, one: Citation, ends: set[int]) -> bool:
    """Whether a link stands in brackets alone or among other links."""
    before = text[max(0, one.start - 2) : one.start].rstrip(" ")
    after = text[one.end : one.end + 2].lstrip(" ")
    opens = before.endswith(("(", "（", ";", "；", ",")) or one.start in ends
    return opens and after.startswith((")", "）", ";", "；", ","))


def _sentences(masked: str, citations: list[Citation]) -> list[Sentence]:
    found: list[Sentence] = []
    at = 0
    ends = [match.span() for match in _PARAGRAPH.finditer(masked)] + [(len(masked), len(masked))]
    marks = [one.start for one in citations]
    for number, (end, following) in enumerate(ends):
        own = citations[bisect.bisect_left(marks, at) : bisect.bisect_left(marks, following)]
        found += _paragraph(masked, at, end, number, own, found)
        at = following
    return found


def _paragraph(
    masked: str, start: int, end: int, number: int, citations: list[Citation], before: list[Sentence]
) -> list[Sentence]:
    piece = masked[start:end]
    is_quote = bool(piece.strip()) and all(_QUOTE_LINE.match(line) for line in piece.split("\n") if line.strip())
    is_table = _is_table(piece)
    if is_quote:
        piece = re.sub(r"(?m)^ {0,3}>", lambda match: " " * len(match[0]), piece)
        quoted = _ATTRIBUTION.sub("", piece)
        spans = [(len(quoted) - len(quoted.lstrip()), len(quoted.rstrip()))] if quoted.strip() else []
    elif is_table:
        spans = [match.span() for match in re.finditer(r"[^|\n]*[^|\n\s][^|\n]*", piece)]
    else:
        spans = [span for span in _with_reporting_verbs(piece) if _says_something(piece[slice(*span)])]
    if not spans:
        if citations and before:  # a line of nothing but marks belongs to what stands above it
            before[-1] = replace(before[-1], citations=(*before[-1].citations, *citations))
        return []
    made: list[Sentence] = []
    for at, (first, last) in enumerate(spans):
        following = spans[at + 1][0] + start if at + 1 < len(spans) else end + 2
        own = tuple(
            one for one in citations if (at == 0 or start + first <= _words_at(one)) and _words_at(one) < following
        )
        words = piece[first:last]
        plain = re.sub(r"\s+(?=[.,;:!?。、，．」』）)])|(?<=[(（])\s+", "", " ".join(words.split()))
        cell = _cell(piece, first) if is_table else None
        made.append(Sentence(start + first, start + last, _tidied(plain), words, number, own, is_quote, cell))
    return made


def _says_something(words: str) -> bool:
    """Whether there is a word beside "Source:", which belongs to what stands above it."""
    return re.search(r"\w", pattern("citing", "lead").sub("", words.strip())) is not None


def _words_at(one: Citation) -> int:
    """Where the words of a mark begin: a link that opens a sentence has its bracket before it."""
    return one.start if one.shown is None else one.shown[0]


def _with_reporting_verbs(piece: str) -> list[tuple[int, int]]:
    """Sentences; と述べる behind 「…。」 belongs to what it reports, and a bracket to what stands before it."""
    joined: list[tuple[int, int]] = []
    for start, end in sentence_spans(piece):
        if joined and _belongs(piece, joined[-1], (start, end)):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _belongs(piece: str, before: tuple[int, int], own: tuple[int, int]) -> bool:
    """Whether a stretch is no sentence, but the verb or the bracket behind the one before it."""
    if _IN_BRACKETS.fullmatch(piece, *own):
        return "\n" not in piece[before[1] : own[0]]
    is_quoted = piece[before[0] : own[0]].rstrip().endswith(("」", "』"))
    return is_quoted and _REPORTED.match(piece, *own) is not None


def _is_table(piece: str) -> bool:
    lines = [line for line in piece.split("\n") if line.strip()]
    return bool(lines) and all(line.lstrip().startswith("|") for line in lines)


def _cell(piece: str, at: int) -> tuple[int, int]:
    """Row and column of a place in a table."""
    start = piece.rfind("\n", 0, at) + 1
    return piece.count("\n", 0, at), piece.count("|", start, at) - 1


def _tidied(plain: str) -> str:
    """Without blanks that a mark has left between Japanese characters."""
    return re.sub(
        r"(?<=[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef])\s+(?=[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef])", "", plain
    )
