"""The formats of an export by name: what their files are called, and what they are. Imports nothing that writes."""

from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from lyra.errors import InvalidParams

SCHEMA_NAME = "evidence.schema.json"


class ExportFormat(StrEnum):
    JSON = "json"
    BIBTEX = "bibtex"
    RIS = "ris"
    CSL_JSON = "csl-json"
    CSV = "csv"
    GRAPHML = "graphml"
    RO_CRATE = "ro-crate"
    OBSIDIAN = "obsidian"
    REPORT = "report"

    @property
    def is_folder(self) -> bool:
        """Whether it is several files."""
        return self in (ExportFormat.RO_CRATE, ExportFormat.OBSIDIAN)

    @property
    def has_report(self) -> bool:
        """Whether the report is part of it."""
        return self in (ExportFormat.RO_CRATE, ExportFormat.REPORT)


@dataclass(frozen=True, slots=True)
class TextFormat:
    """A format of one file: what readers call it, the file's name among a task's resources, and what it is."""

    label: str
    name: str
    description: str
    media_type: str


TEXT_FORMATS = {
    ExportFormat.JSON: TextFormat("JSON", "evidence.json", "Every claim with its quotes.", "application/json"),
    ExportFormat.BIBTEX: TextFormat("BibTeX", "bibliography.bib", "Sources as BibTeX.", "application/x-bibtex"),
    ExportFormat.RIS: TextFormat("RIS", "bibliography.ris", "Sources as RIS.", "application/x-research-info-systems"),
    ExportFormat.CSL_JSON: TextFormat(
        "CSL-JSON", "bibliography.csl.json", "Sources as CSL-JSON.", "application/vnd.citationstyles.csl+json"
    ),
    ExportFormat.CSV: TextFormat("CSV", "evidence.csv", "Every quote with its claim as a table.", "text/csv"),
    ExportFormat.GRAPHML: TextFormat(
        "GraphML", "graph.graphml", "Claims, pages, stances and citations as a graph.", "application/graphml+xml"
    ),
}
# Where a folder is one file: what readers call it, and its name.
ZIP_FORMATS = {
    ExportFormat.RO_CRATE: ("RO-Crate", "ro-crate.zip"),
    ExportFormat.OBSIDIAN: ("Obsidian", "obsidian.zip"),
}
# The first that fits decides.
_ENDINGS = {
    ".csl.json": ExportFormat.CSL_JSON,
    ".json": ExportFormat.JSON,
    ".bib": ExportFormat.BIBTEX,
    ".ris": ExportFormat.RIS,
    ".csv": ExportFormat.CSV,
    ".graphml": ExportFormat.GRAPHML,
    ".md": ExportFormat.REPORT,
}


def export_format_of(path: Path | None) -> ExportFormat:
    """The format that a file's name asks for; JSON where it has no ending. Raises InvalidParams for one not known."""
    name = "" if path is None else path.name.lower()
    known = next((found for ending, found in _ENDINGS.items() if name.endswith(ending)), None)
    if known is None and path is not None and path.suffix:
        raise InvalidParams(
            f"No format of an export ends in {path.suffix.lower()}: a name ends in {', '.join(_ENDINGS)}.",
            remedy=f"Name the format with --format: {', '.join(ExportFormat)}.",
        )
    return known or ExportFormat.JSON


def schema_text() -> str:
    """The JSON Schema of the JSON export, as it is published."""
    return files("lyra.report.export").joinpath(SCHEMA_NAME).read_text("utf-8")
