"""How much of a text is content: a rule-based score in [0, 1], and what a second stage makes of it (SPEC §6)."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, pstdev

from lyra.text import sentences
from lyra.word_lists import word_lists

_DOUBTFUL = (0.4, 0.6)
_SECOND_WEIGHT = 0.6
_NGRAM = 5
_SAMPLE_CHARS = 6_000
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")


def text_quality(text: str, *, link_share: float, paragraphs: Sequence[str]) -> float:
    """1 for plain prose. Each fault takes its share off; a page without any text scores 0."""
    sample = text[:_SAMPLE_CHARS]
    words = _WORD.findall(sample.lower())
    if not words:
        return 0.0
    selling = word_lists("lyra.extract", "page_parts", "en", "ja").pattern("selling")
    faults = (
        0.9 * _length_fault(len(words)),
        0.8 * _ramp(link_share, 0.3, 0.8),
        0.8 * _ramp(_repetition(words), 0.15, 0.6),
        0.6 * _ramp(_template_share(paragraphs), 0.3, 0.9),
        0.6 * _ramp(len(selling.findall(sample)) * 200 / max(200, len(words)), 1.0, 6.0),
        0.4 * _uniformity_fault(sample),
    )
    score = 1.0
    for fault in faults:
        score *= 1.0 - fault
    return round(score, 3)


def is_doubtful(score: float) -> bool:
    """Whether the rules alone cannot tell: only then is a second judge worth its time."""
    return _DOUBTFUL[0] <= score <= _DOUBTFUL[1]


def combine_scores(rules: float, second: float) -> float:
    """The score of both stages, where a second judge gave one in [0, 1]."""
    return round(_SECOND_WEIGHT * second + (1 - _SECOND_WEIGHT) * rules, 3)


def _ramp(value: float, start: float, end: float) -> float:
    """0 up to `start`, 1 from `end` on."""
    return min(1.0, max(0.0, (value - start) / (end - start)))


def _length_fault(words: int) -> float:
    """A page of a line or two tells little."""
    return 1.0 - _ramp(words, 0, 60)


def _repetition(words: Sequence[str]) -> float:
    """Share of word 5-grams that have occurred before."""
    grams = Counter(tuple(words[i : i + _NGRAM]) for i in range(len(words) - _NGRAM + 1))
    total = sum(grams.values())
    return (total - len(grams)) / total if total else 0.0


def _template_share(paragraphs: Sequence[str]) -> float:
    """Share of the text in paragraphs too short, or too often repeated, to be prose."""
    total = sum(map(len, paragraphs))
    seen = Counter(paragraphs)
    filler = sum(len(p) for p in paragraphs if len(p) < 25 or seen[p] > 1)
    return filler / total if total else 0.0


def _uniformity_fault(sample: str) -> float:
    """Generated filler repeats one sentence shape: lengths that hardly vary over many sentences."""
    lengths = [end - start for start, end in sentences(sample)]
    if len(lengths) < 8:
        return 0.0
    return 1.0 - _ramp(pstdev(lengths) / fmean(lengths), 0.05, 0.25)
