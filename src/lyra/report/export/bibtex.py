"""Sources as BibTeX, which biber and BibTeX read alike; quotes are the annotations of their source."""

import re
from urllib.parse import quote

from lyra.report.export.bibliography import Author, Entry, entries, note_of, one_line
from lyra.report.export.records import TaskRecords

# Braces are named: BibTeX counts them even behind a backslash, and one that is alone would end the field.
_TEX_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
# What TeX would join to another sign: -- to a dash, '' to a quotation mark.
_LIGATURE = re.compile(r"([-'<>,`])(?=\1)|[?!](?=`)")


def bibtex_text(records: TaskRecords) -> str:
    """One entry for each source, in the order of the sources."""
    return "\n".join(map(_entry, entries(records)))


def _entry(entry: Entry) -> str:
    source = entry.source
    fields = {
        "title": "{" + _tex_text(entry.title) + "}",
        "author": " and ".join(map(_name, entry.authors)),
        "journal" if entry.is_paper else "organization": _tex_text(source.venue or source.domain),
        "year": str(source.year) if source.year else "",
        "date": _verbatim(source.published_date or ""),
        "doi": _verbatim(source.doi or ""),
        "pmid": _verbatim(source.pmid or ""),
        "url": _verbatim(source.url),
        "urldate": f"{source.fetched_at:%Y-%m-%d}",
        "note": "Retracted" if source.is_retracted else "",
        "annote": r" \par ".join(_tex_text(note_of(*one)) for one in entry.quotes),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{'article' if entry.is_paper else 'online'}{{{entry.key},", *lines, "}", ""])


def _name(author: Author) -> str:
    """A body in braces, so that an "and" within it parts nothing."""
    return _tex_text(author.inverted) if author.given else "{" + _tex_text(author.family) + "}"


def _tex_text(text: str) -> str:
    """One line with TeX's special characters made harmless."""
    return _LIGATURE.sub(r"\g<0>{}", one_line(text).translate(_TEX_SPECIAL))


def _verbatim(text: str) -> str:
    """An address or number, which TeX takes to the letter: what would end the field is percent-encoded."""
    return re.sub(r"[\s{}\\]", lambda found: quote(found[0], safe=""), text.strip())
