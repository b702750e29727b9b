"""The formats of a report, and what a document is in each."""

from enum import StrEnum
from pathlib import Path

from lyra.errors import ChromeNotReady, InvalidParams
from lyra.report.document import Document, Figure


class ReportFormat(StrEnum):
    MD = "md"
    HTML = "html"
    DOCX = "docx"
    PDF = "pdf"

    @property
    def is_text(self) -> bool:
        """Whether a terminal can show it."""
        return self in (ReportFormat.MD, ReportFormat.HTML)


_SUFFIXES = {
    **{f".{one}": one for one in ReportFormat},
    ".markdown": ReportFormat.MD,
    ".txt": ReportFormat.MD,
    ".htm": ReportFormat.HTML,
}


def format_of(path: Path | None) -> ReportFormat:
    """The format that a file's name asks for; Markdown where it has no ending. Raises InvalidParams on another one."""
    if path is None or not path.suffix:
        return ReportFormat.MD
    found = _SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise InvalidParams(
            f"No report can be written as {path.suffix}: a name ends in {', '.join(_SUFFIXES)}.",
            remedy="Choose one of these endings, or say the format with --format.",
        )
    return found


def render(document: Document, wanted: ReportFormat, browser: Path | None) -> bytes:
    """The document as a file. PDF needs Chrome or Chromium (`browser`, or the one on the path): ChromeNotReady; DOCX
    needs the extra `reports`: InvalidParams."""
    from lyra.report.html import html  # lazy, as in `_pictures`: a command's help needs the names of the formats only
    from lyra.report.markdown import markdown
    from lyra.report.pdf import print_pdf
    from lyra.report.word import docx, require_docx

    match wanted:
        case ReportFormat.MD:
            return markdown(document).encode()
        case ReportFormat.HTML:
            return html(document).encode()
        case ReportFormat.PDF:
            return print_pdf(html(document), browser)
        case ReportFormat.DOCX:
            require_docx()
            return docx(document, _pictures(document, browser))


def _pictures(document: Document, browser: Path | None) -> dict[int, bytes]:
    """A picture for each figure, by its place; none where no browser can draw them."""
    from lyra.report.pdf import pictures

    places = [(place, block.data) for place, block in enumerate(document.blocks) if isinstance(block, Figure)]
    try:
        drawn = pictures([data for _, data in places], browser)
    except ChromeNotReady:
        return {}
    return {place: png for (place, _), png in zip(places, drawn, strict=True)}
