"""The sources of a task as BibTeX: papers as articles, everything else as online sources with the day of access."""

import re
import unicodedata
from collections.abc import Iterable

from lyra.model.report import CitedSource

_SPECIAL = str.maketrans(
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


def bibtex(sources: Iterable[CitedSource]) -> str:
    """One entry for each source, each key once, in the order given."""
    entries: dict[str, str] = {}
    for source in sources:
        key = _free_key(_key(source), entries)
        entries[key] = _entry(key, source)
    return "\n".join(entries.values())


def _entry(key: str, source: CitedSource) -> str:
    is_paper = bool(source.venue or source.doi)
    fields = {
        "title": "{" + _plain(source.title or source.url) + "}",
        "author": " and ".join(_plain(author) for author in source.authors),
        "journal" if is_paper else "organization": _plain(source.venue or source.domain),
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


def _key(source: CitedSource) -> str:
    """First author's family name or the domain, and the year: smith2020, example-org2021."""
    name = source.authors[0].split()[-1] if source.authors else source.domain.replace(".", "-")
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9-]", "", ascii_name.lower()) or re.sub(r"[^a-z0-9-]", "", source.domain.replace(".", "-"))
    return f"{stem}{source.year or ''}"


def _free_key(key: str, taken: dict[str, str]) -> str:
    if key not in taken:
        return key
    return next(f"{key}-{number}" for number in range(2, len(taken) + 3) if f"{key}-{number}" not in taken)


def _plain(text: str) -> str:
    """One line with TeX's special characters made harmless."""
    return " ".join(text.split()).translate(_SPECIAL)
