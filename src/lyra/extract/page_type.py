"""What kind of page this is, from a few facts about it."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

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
_TYPES = {
    "Product": "product",
    "DiscussionForumPosting": "forum",
    "QAPage": "forum",
    "SearchResultsPage": "search",
    "CollectionPage": "index",
    "ScholarlyArticle": "paper",
    "MedicalScholarlyArticle": "paper",
}


@dataclass(frozen=True, slots=True)
class Signals:
    """What the classifier looks at."""

    url: str = ""
    schema_types: frozenset[str] = frozenset()
    og_type: str = ""
    has_citation_meta: bool = False
    has_article_element: bool = False
    prose_chars: int = 0
    link_share: float = 0.0


def page_type(signals: Signals) -> str:
    """`paper`, `search`, `forum`, `product`, `index` or `article`; what the page says of itself first."""
    parts = urlsplit(signals.url)
    if signals.has_citation_meta or _PAPER_HOST.search(parts.hostname or ""):
        return "paper"
    for declared, kind in _TYPES.items():
        if declared in signals.schema_types:
            return kind
    if _SEARCH_PATH.search(parts.path) and _SEARCH_KEYS & {key.lower() for key, _ in parse_qsl(parts.query)}:
        return "search"
    if _FORUM.search(parts.path) or _FORUM.search(parts.hostname or ""):
        return "forum"
    if signals.og_type.startswith("product") or _PRODUCT.search(parts.path):
        return "product"
    return "index" if _is_index(signals, parts.path) else "article"


def _is_index(signals: Signals, path: str) -> bool:
    """Mostly links and hardly any prose, or a front page without an article."""
    if signals.has_article_element and signals.prose_chars >= 600:
        return False
    if path in {"", "/"} and signals.url and signals.prose_chars < 3000 and signals.og_type != "article":
        return True
    # Articles link a tenth of their words at most (98 of 100 pages measured).
    return signals.link_share > 0.4 and signals.prose_chars < 1200
