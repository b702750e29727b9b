"""Sources as RIS for reference managers; each quote is a note of its source."""

from collections.abc import Iterator

from lyra.report.export.bibliography import Entry, date_parts, entries, note_of, one_line
from lyra.report.export.records import TaskRecords


def ris_text(records: TaskRecords) -> str:
    """One reference for each source, in the order of the sources."""
    return "".join(f"{tag}  - {value}\r\n" for entry in entries(records) for tag, value in _lines(entry))


def _lines(entry: Entry) -> Iterator[tuple[str, str]]:
    """A reference begins with its type and ends with ER; a value is one line, so that none can end it early."""
    source = entry.source
    yield "TY", "JOUR" if entry.is_paper else "ELEC"
    fields = [
        ("ID", entry.key),
        ("TI", entry.title),
        *(("AU", author.inverted) for author in entry.authors),
        ("T2" if entry.is_paper else "PB", source.venue or source.domain),
        ("PY", str(source.year or "")),
        ("DA", _date(source.published_date)),
        ("DO", source.doi or ""),
        ("AN", source.pmid or ""),
        ("UR", source.url),
        ("Y2", f"{source.fetched_at:%Y/%m/%d/}"),
        ("N1", "Retracted" if source.is_retracted else ""),
        *(("N1", note_of(*one)) for one in entry.quotes),
    ]
    for tag, value in fields:
        if line := one_line(value):
            yield tag, line
    yield "ER", ""


def _date(date: str | None) -> str:
    """YYYY/MM/DD/ as far as it is known."""
    year, month, day = [f"{part:02}" for part in (*date_parts(date), 0, 0, 0)[:3]]
    return "/".join(["" if part == "00" else part for part in (year, month, day)] + [""]) if year != "00" else ""
