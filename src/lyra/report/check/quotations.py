"""Quotations of a text, and whether a source has their words: exactly, with a difference, or not at all."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lyra.claims.sentences import sentence_spans
from lyra.claims.words import content_words
from lyra.model.check import DecidingPassage, Source, TextFragment
from lyra.report.check.layout import Layout, Sentence
from lyra.text import is_japanese, located_tokens, nfkc

# Fewer words are a term, a title or irony, and no quotation.
LEAST_WORDS = 4
LEAST_JAPANESE_CHARS = 8
# From so much in common on, words are a quotation gone wrong; below, nobody wrote them.
NEAR_RATIO = 0.6
LONGEST_QUOTATION = 3000
_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"), ("„", "“"))
_STRAIGHT = re.compile(
    r'(?<![\w"])"(?=\S)([^"\n]{1,3000}?)(?<=\S)"(?!\w)|(?<![\w"])"(?=\S)([^"]{1,600}?)(?<=\S)"(?!\w)'
)
# ‘…’ where the last sign is no apostrophe.
_SINGLE = re.compile(r"(?<!\w)‘(?=\S)[^‘\n]{1,600}?(?<=\S)’(?!\w)")
_GAP = re.compile(r"\s*(?:\[\s*(?:…|\.{3})\s*\]|…+|\.{3,}|（中略）|\(中略\)|〔中略〕|［中略］)\s*")
_INSERTED = re.compile(r"\[[^\]\n]{1,60}\]|［[^］\n]{1,60}］|〔[^〕\n]{1,60}〕")
_REMEMBERED = 8192


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words in quotation marks, or a block that is set apart, with the sentences they stand in."""

    text: str
    start: int
    end: int
    sentences: tuple[Sentence, ...]
    is_block: bool = False

    def is_term(self, *, is_cited: bool) -> bool:
        """Whether it is too short to be a quotation; where nothing is cited, twice as many words are needed."""
        times = 1 if is_cited or self.is_block else 2
        if is_japanese(self.text) or not self.text.isascii():
            return len(re.sub(r"\W", "", self.text)) < times * LEAST_JAPANESE_CHARS
        return len(self.text.split()) < times * LEAST_WORDS


@dataclass(frozen=True, slots=True)
class NearMatch:
    """The words of a source that are most like a quotation; `ratio` is 1 where they are the same."""

    source: Source
    fragment: TextFragment
    quote: str
    ratio: float


def find_quotations(layout: Layout) -> list[Quotation]:
    """Every quotation in order."""
    mask = layout.mask
    spans = [(match.start(), match.end()) for match in _STRAIGHT.finditer(mask) if "\n\n" not in match[0]]
    spans += [match.span() for match in _SINGLE.finditer(mask)]
    for opening, closing in _PAIRS:
        spans += _paired(mask, opening, closing)
    blocks = [one for one in layout.sentences if one.is_block_quote]
    found = [Quotation(_clean(one.mask), one.start, one.end, (one,), is_block=True) for one in blocks]
    for start, end in _outermost(spans):
        inner = mask[start + 1 : end - 1]
        own = tuple(one for one in layout.between(start, end) if not one.is_block_quote)
        if inner.strip() and own:
            found.append(Quotation(_clean(inner), start, end, own))
    return sorted(found, key=lambda one: one.start)


def _paired(mask: str, opening: str, closing: str) -> list[tuple[int, int]]:
    found, starts = [], []
    for match in re.finditer(f"[{opening}{closing}]|\n[^\\S\n]*\n", mask):
        if match[0] == opening:
            starts.append(match.start())
        elif match[0] == closing and starts:
            start = starts.pop()
            if not starts and match.end() - start < LONGEST_QUOTATION:
                found.append((start, match.end()))
        elif match[0] not in (opening, closing):
            starts.clear()
    return found


def _outermost(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _clean(text: str) -> str:
    return " ".join(text.split())


@lru_cache(_REMEMBERED)
def folded(text: str) -> str:
    """Letters and digits alone, so that case, width, spacing, punctuation and kinds of quotation marks do not count."""
    plain = nfkc(text).casefold()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    return re.sub(r"(?<!\d)\.|\.(?!\d)|[^\w.%]|_", "", plain)


def exact(quotation: str, sources: Sequence[Source]) -> DecidingPassage | None:
    """Where a source has these words; what is left out (…) or put in square brackets may differ."""
    pieces = [folded(one) for part in _GAP.split(quotation) for one in _INSERTED.split(part)]
    wanted = [one for one in pieces if one]
    for source in sources if wanted else ():
        for fragment in source.fragments:
            if _holds(folded(fragment.text), wanted):
                return passage(source, fragment, _shortest(fragment.text, wanted))
        if _holds("".join(folded(one.text) for one in source.fragments), wanted):
            first = next((one for one in source.fragments if wanted[0][:20] in folded(one.text)), source.fragments[0])
            return passage(source, first, first.text)
    return None


def _holds(text: str, pieces: Sequence[str]) -> bool:
    at = 0
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _shortest(text: str, pieces: Sequence[str]) -> str:
    """The sentence that holds them all, else the whole text."""
    whole = (text[slice(*span)] for span in sentence_spans(text))
    return next((one for one in whole if _holds(folded(one), pieces)), text)


def passage(source: Source, fragment: TextFragment, quote: str) -> DecidingPassage:
    return DecidingPassage(quote, source.url, source.title, source.page_id, fragment.id, fragment.page_number)


def nearest(quotation: str, sources: Sequence[Source]) -> NearMatch | None:
    """The sentences of these sources that have most in common with a quotation."""
    wanted = content_words(quotation)
    count = max(1, len(sentence_spans(quotation)))
    best: NearMatch | None = None
    for source in sources:
        for fragment in source.fragments:
            for quote in _runs(fragment.text, count):
                if len(wanted & content_words(quote)) * 4 < len(wanted):
                    continue
                ratio = _similarity(quotation, quote)
                if best is None or ratio > best.ratio:
                    best = NearMatch(source, fragment, quote, ratio)
    return best


@lru_cache(_REMEMBERED)
def _runs(text: str, count: int) -> tuple[str, ...]:
    """Runs of so many sentences."""
    spans = sentence_spans(text)
    return (
        tuple(
            text[spans[at][0] : spans[min(at + count, len(spans)) - 1][1]]
            for at in range(max(1, len(spans) - count + 1))
        )
        if spans
        else ()
    )


def _similarity(one: str, other: str) -> float:
    """How much of the quotation the other has in the same order."""
    first, second = _units(one), _units(other)
    blocks = difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(first) if first else 0.0


def _units(text: str) -> list[str]:
    plain = nfkc(text)
    if is_japanese(plain):
        return [char for char in plain if char.isalnum()]
    return [plain[start:end].casefold() for start, end, _ in located_tokens(plain, in_pairs=True)]


def difference(quotation: str, quote: str) -> str:
    """What the quotation says otherwise: [-its words-] {+those of the source+}; equal beginnings and ends are cut."""
    joiner = "" if is_japanese(quotation) else " "
    mine, theirs = (_pieces(one, joiner) for one in (quotation, quote))
    keys = [[folded(one) for one in side] for side in (mine, theirs)]
    parts: list[str] = []
    matcher = difflib.SequenceMatcher(None, keys[0], keys[1], autojunk=False)
    codes = matcher.get_opcodes()
    for at, (kind, a, b, c, d) in enumerate(codes):
        if kind == "equal":
            same = mine[a:b]
            room = 12 if joiner else 24
            if len(same) > room:
                same = [*(same[: room // 2] if at else []), "…", *(same[-room // 2 :] if at < len(codes) - 1 else [])]
            parts.append(joiner.join(same))
        else:
            left, right = joiner.join(mine[a:b]), joiner.join(theirs[c:d])
            parts += [f"[-{left}-]"] if left else []
            parts += [f"{{+{right}+}}"] if right and not (kind == "insert" and at in (0, len(codes) - 1)) else []
    return joiner.join(parts)


def _pieces(text: str, joiner: str) -> list[str]:
    return text.split() if joiner else [char for char in text if not char.isspace()]
