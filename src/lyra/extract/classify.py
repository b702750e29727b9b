"""What kind of document a text is: its language, its page type, and how much of it is content (SPEC §6)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from urllib.parse import parse_qsl, urlsplit

from lyra.model.page import SATIRE
from lyra.text import is_japanese, language_of, sentences
from lyra.word_lists import word_lists

_ENGLISH_WORDS = frozenset(
    "the of and to in a is that for with was on are as by be this it from at or have not".split()
)
_LANGUAGE_SAMPLE_CHARS = 4_000
_ENOUGH_LETTERS = 60


def document_language(text: str, declared: str | None = None) -> str:
    """ISO 639-1, or `und` where it cannot be determined."""
    sample = text[:_LANGUAGE_SAMPLE_CHARS]
    letters = sum(map(str.isalpha, sample))
    if is_japanese(sample):
        return "ja"
    if letters < _ENOUGH_LETTERS:
        return declared or "und"
    if _is_english(sample):
        return "en"
    # A template's lang="en" around another language is common; any other declaration is somebody's choice.
    return declared if declared not in (None, "en", "ja") else language_of(sample)


def _is_english(sample: str) -> bool:
    words = re.findall(r"[^\W\d_]+", sample.lower())
    return sum(word in _ENGLISH_WORDS for word in words) >= 0.2 * len(words)


# A tagline is short; and the name of a section alone, "Satire", says nothing of the page.
_LONGEST_TAGLINE = 200
_SEARCH_PATH = re.compile(r"/(?:search|suche|recherche|buscar|find|s)/?$|/search/|検索", re.IGNORECASE)
_SEARCH_KEYS = frozenset({"q", "query", "search", "s", "keyword", "keywords", "wd"})
_FORUM = re.compile(
    r"/(?:forums?|threads?|topics?|viewtopic|showthread|questions|bbs|t)(?:[/.?-]|$)|(?:^|\.)(?:forum|community|discuss|chiebukuro)\b",
    re.IGNORECASE,
)
_PRODUCT = re.compile(r"/(?:products?|dp|item|shop|store|goods)/", re.IGNORECASE)
_PAPER_HOST = re.compile(
    r"(?:^|\.)(?:arxiv\.org|pubmed\.ncbi\.nlm\.nih\.gov|doi\.org|jstage\.jst\.go\.jp|biorxiv\.org|medrxiv\.org)$"
)
_PAGE_TYPES = {
    "Product": "product",
    "DiscussionForumPosting": "forum",
    "QAPage": "forum",
    "SearchResultsPage": "search",
    "CollectionPage": "index",
    "ScholarlyArticle": "paper",
    "MedicalScholarlyArticle": "paper",
    "SatiricalArticle": SATIRE,
}


@dataclass(frozen=True, slots=True)
class PageSignals:
    """What the classifier looks at."""

    url: str = ""
    schema_types: frozenset[str] = frozenset()
    og_type: str = ""
    has_citation_meta: bool = False
    has_article_element: bool = False
    prose_chars: int = 0
    link_share: float = 0.0
    is_satire: bool = False


def declares_satire(lines: Iterable[str], head_and_foot_texts: Iterable[str] = ()) -> bool:
    """Whether a site says in one of these lines that what it writes is satire, or names satire in a tagline."""
    lists = word_lists("lyra.extract", "page_parts", "en", "ja")
    satire, named = lists.pattern("satire"), lists.pattern("satire_tagline")
    short = [line for line in head_and_foot_texts if len(line) <= _LONGEST_TAGLINE]
    return any(map(named.search, short)) or any(
        satire.search(line) for line in (*lines, *short) if len(line) <= _LONGEST_TAGLINE
    )


def says_satire_of_itself(passages: Sequence[str]) -> bool:
    """Whether a text says at its head or end that it is made up, or anywhere that all of its site is."""
    lists = word_lists("lyra.extract", "page_parts", "en", "ja")
    here, of_site = lists.pattern("satire_here"), lists.pattern("satire_of_site")
    short = [one for one in passages if len(one) <= _LONGEST_TAGLINE]
    ends = {*passages[:1], *passages[-1:]}
    return any(of_site.search(one) or (one in ends and here.search(one)) for one in short)


def page_type(signals: PageSignals) -> str:
    """`satire`, `paper`, `search`, `forum`, `product`, `index` or `article`; what the page declares first."""
    parts = urlsplit(signals.url)
    if signals.is_satire:
        return SATIRE
    if signals.has_citation_meta or _PAPER_HOST.search(parts.hostname or ""):
        return "paper"
    for declared, kind in _PAGE_TYPES.items():
        if declared in signals.schema_types:
            return kind
    if _SEARCH_PATH.search(parts.path) and _SEARCH_KEYS & {key.lower() for key, _ in parse_qsl(parts.query)}:
        return "search"
    if _FORUM.search(parts.path) or _FORUM.search(parts.hostname or ""):
        return "forum"
    if signals.og_type.startswith("product") or _PRODUCT.search(parts.path):
        return "product"
    return "index" if _is_index(signals, parts.path) else "article"


def _is_index(signals: PageSignals, path: str) -> bool:
    """Mostly links and hardly any prose, or a front page without an article."""
    if signals.has_article_element and signals.prose_chars >= 600:
        return False
    if path in {"", "/"} and signals.url and signals.prose_chars < 3000 and signals.og_type != "article":
        return True
    # Articles link a tenth of their words at most (98 of 100 pages measured).
    return signals.link_share > 0.4 and signals.prose_chars < 1200


_DOUBTFUL = (0.4, 0.6)
_SECOND_WEIGHT = 0.6
_NGRAM = 5
_QUALITY_SAMPLE_CHARS = 6_000
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")


def text_quality(text: str, *, link_share: float, paragraphs: Sequence[str]) -> float:
    """1 for plain prose. Each fault takes its share off; a page without any text scores 0."""
    sample = text[:_QUALITY_SAMPLE_CHARS]
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
    """Whether the rules alone cannot decide: only then is a second judge worth its time."""
    return _DOUBTFUL[0] <= score <= _DOUBTFUL[1]


def combine_scores(rules: float, second: float) -> float:
    """The score of both stages, where a second judge gave one in [0, 1]."""
    return round(_SECOND_WEIGHT * second + (1 - _SECOND_WEIGHT) * rules, 3)


def _ramp(value: float, start: float, end: float) -> float:
    """0 up to `start`, 1 from `end` on."""
    return min(1.0, max(0.0, (value - start) / (end - start)))


def _length_fault(words: int) -> float:
    """A page of a line or two has little content."""
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
