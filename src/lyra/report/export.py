"""A task's evidence as plain data, its sources as BibTeX, and links that open a page at the quoted words."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from lyra.clock import stamp
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim, ReviewMark
from lyra.model.task import Task
from lyra.text import is_japanese, strip_control_chars, without_surrogates

_LINK_EDGE_WORDS = 6
_MAX_WHOLE_CHARS = 60
_MIN_EDGE_CHARS = 6
_MAX_EDGE_CHARS = 30
# Where every dictionary parts Japanese words: after punctuation, and after a particle that kanji or katakana follow.
_WORD_END = re.compile("(?<=[、。，．！？）」』])(?=.)|(?<=[はがをにで])(?=[\u30a1-\u30fa\u4e00-\u9fff])")
_TEX_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


def evidence(task: Task, claims: tuple[ReportClaim, ...]) -> dict[str, Any]:
    """JSON-ready; probabilities to 3 places."""
    return {
        "task_id": task.id,
        "query": task.query,
        "created_at": stamp(task.created_at),
        "settings_digest": task.settings_digest,
        "claims": [_claim_fields(one) for one in claims],
    }


def _claim_fields(one: ReportClaim) -> dict[str, Any]:
    assessment, figures = one.assessment, one.assessment.evidence
    return {
        "id": one.claim.id,
        "text": one.claim.claim_text,
        "language": one.claim.language,
        "is_hypothesis": one.claim.is_hypothesis,
        "verdict": assessment.verdict.value,
        "confidence": round(figures.confidence, 3),
        "uncertainty": round(figures.uncertainty, 3),
        "controversy": round(figures.controversy, 3),
        "independent_sources": assessment.independent_sources,
        "text_confidence": round(assessment.text_confidence, 3),
        "report_confidence": round(assessment.report_confidence, 3),
        "verification_status": assessment.verification_status.value,
        "verification_details": assessment.verification_reason,
        "refutation_status": assessment.refutation_status.value,
        "recovery": list(assessment.recovery),
        "supports": [_quote_fields(quoted) for quoted in one.supports],
        "refutes": [_quote_fields(quoted) for quoted in one.refutes],
    }


def _quote_fields(quoted: QuotedEvidence) -> dict[str, Any]:
    return {
        "quote": quoted.quote,
        "judged_text": None if quoted.judged_text is None else asdict(quoted.judged_text),
        "url": quoted.url,
        "link": passage_link(quoted),
        "title": quoted.title,
        "domain": quoted.domain,
        "trust_level": quoted.trust_level,
        "published_date": quoted.published_date,
        "updated_date": quoted.updated_date,
        "found_at": stamp(quoted.fetched_at),
        "nli_confidence": round(quoted.nli_confidence, 3),
        "model_id": quoted.model_id,
        "is_origin": quoted.is_origin,
        "is_retracted": quoted.is_retracted,
        "no_vote": quoted.no_vote or None,
        "no_vote_reason": quoted.why_no_vote or None,
        "review": None if quoted.review is None else _review(quoted.review),
        "fragment_id": quoted.fragment_id,
        "page_id": quoted.page_id,
    }


def _review(review: ReviewMark) -> dict[str, str]:
    return {
        "reviewer": review.reviewer,
        "reviewed_at": stamp(review.reviewed_at),
        "reason": review.reason,
        "judged_relation": review.judged_relation.value,
    }


def passage_link(quoted: QuotedEvidence) -> str:
    """The address of a quote's passage: its page in a paged document, else a text fragment."""
    if quoted.page_number is not None:
        return f"{quoted.url.split('#')[0]}#page={quoted.page_number}"
    return deep_link(quoted.url, quoted.quote)


def deep_link(url: str, words: str) -> str:
    """The page's address with a text fragment that a browser scrolls to and marks.

    Browsers find whole words only, so nothing is cut within one: a short quote is given whole, a long one by its first
    and last words, between which the page may have notes and tags that were not read.
    """
    plain = " ".join(strip_control_chars(without_surrogates(words)).split())
    if not plain:
        return url
    if is_japanese(plain):
        first, last = _japanese_edges(plain)
    else:
        first, last = _edges(plain)
    target = ",".join(_encode_fragment(part) for part in (first, last) if part)
    return f"{url.split('#')[0]}#:~:text={target}"


def _edges(plain: str) -> tuple[str, str]:
    """The first and the last words of a quote, of a table's row its first and last cell; of a short one only itself."""
    cells = plain.split(" | ")
    if len(cells) > 1:
        return cells[0], cells[-1]
    parts = plain.split()
    if len(parts) <= 2 * _LINK_EDGE_WORDS:
        return plain, ""
    return " ".join(parts[:_LINK_EDGE_WORDS]), " ".join(parts[-_LINK_EDGE_WORDS:])


def _japanese_edges(plain: str) -> tuple[str, str]:
    """The same for text without spaces: cut where a word surely ends, and never across a space, which the page may not
    have there."""
    if len(plain) <= _MAX_WHOLE_CHARS and " " not in plain:
        return plain, ""
    cuts = [found.start() for found in _WORD_END.finditer(plain)]
    spaces = [place for place, char in enumerate(plain) if char == " "]
    start = _nearest_cut([*cuts, *spaces[:1]], most=spaces[0] if spaces else len(plain))
    backwards = [len(plain) - cut for cut in (*cuts, *spaces[-1:])]
    end = len(plain) - _nearest_cut(backwards, most=len(plain) - spaces[-1] if spaces else len(plain))
    return (plain, "") if start >= end and not spaces else (plain[:start].strip(), plain[end:].strip())


def _nearest_cut(cuts: list[int], most: int) -> int:
    """The longest edge of at most thirty characters, else the shortest one that is longer."""
    usable = [cut for cut in cuts if _MIN_EDGE_CHARS <= cut <= most]
    short = [cut for cut in usable if cut <= _MAX_EDGE_CHARS]
    return max(short) if short else min(usable, default=most)


def _encode_fragment(text: str) -> str:
    # The fragment directive gives "-" and "," a meaning of their own.
    return quote(text, safe="").replace("-", "%2D")


def bibtex(sources: Iterable[CitedSource]) -> str:
    """One entry for each source, each key once, in the order given."""
    entries: dict[str, str] = {}
    for source in sources:
        key = _unused_key(_citation_key(source), entries)
        entries[key] = _bibtex_entry(key, source)
    return "\n".join(entries.values())


def _bibtex_entry(key: str, source: CitedSource) -> str:
    is_paper = bool(source.venue or source.doi)
    fields = {
        "title": "{" + _tex_text(source.title or source.url) + "}",
        "author": " and ".join(_tex_text(author) for author in source.authors),
        "journal" if is_paper else "organization": _tex_text(source.venue or source.domain),
        "year": str(source.year) if source.year else "",
        "date": source.published_date or "",
        "doi": source.doi or "",
        "pmid": source.pmid or "",
        "url": source.url.replace("{", "%7B").replace("}", "%7D"),
        "urldate": f"{source.fetched_at:%Y-%m-%d}",
        "note": "Retracted" if source.is_retracted else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{'article' if is_paper else 'online'}{{{key},", *lines, "}", ""])


def _citation_key(source: CitedSource) -> str:
    """First author's family name or the domain, and the year: smith2020, example-org2021."""
    name = source.authors[0].split()[-1] if source.authors else source.domain.replace(".", "-")
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9-]", "", ascii_name.lower()) or re.sub(r"[^a-z0-9-]", "", source.domain.replace(".", "-"))
    return f"{stem}{source.year or ''}"


def _unused_key(key: str, taken: dict[str, str]) -> str:
    if key not in taken:
        return key
    return next(f"{key}-{number}" for number in range(2, len(taken) + 3) if f"{key}-{number}" not in taken)


def _tex_text(text: str) -> str:
    """One line with TeX's special characters made harmless."""
    return " ".join(text.split()).translate(_TEX_SPECIAL)
