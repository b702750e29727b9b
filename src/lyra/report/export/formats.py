"""The formats of an export: how each is named and written."""

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from lyra.report.export.bibtex import bibtex_text
from lyra.report.export.csl import csl_json_text
from lyra.report.export.evidence import json_text
from lyra.report.export.graphml import graphml_text
from lyra.report.export.obsidian import notes
from lyra.report.export.records import TaskRecords
from lyra.report.export.ris import ris_text
from lyra.report.export.ro_crate import CrateFile, crate_files
from lyra.report.export.table import csv_text

SCHEMA_NAME = "evidence.schema.json"
_DAY = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes


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
    """A format of one file: the file's name among a task's resources, and what it is."""

    name: str
    description: str
    media_type: str
    write: Callable[[TaskRecords], str]


TEXT_FORMATS = {
    ExportFormat.JSON: TextFormat("evidence.json", "Every claim with its quotes.", "application/json", json_text),
    ExportFormat.BIBTEX: TextFormat("bibliography.bib", "Sources as BibTeX.", "application/x-bibtex", bibtex_text),
    ExportFormat.RIS: TextFormat(
        "bibliography.ris", "Sources as RIS.", "application/x-research-info-systems", ris_text
    ),
    ExportFormat.CSL_JSON: TextFormat(
        "bibliography.csl.json",
        "Sources as CSL-JSON.",
        "application/vnd.citationstyles.csl+json",
        csl_json_text,
    ),
    ExportFormat.CSV: TextFormat("evidence.csv", "Every quote with its claim as a table.", "text/csv", csv_text),
    ExportFormat.GRAPHML: TextFormat(
        "graph.graphml", "Claims, pages, stances and citations as a graph.", "application/graphml+xml", graphml_text
    ),
}
# Where a folder is one file, and what readers call the formats.
ZIP_NAMES = {ExportFormat.RO_CRATE: "ro-crate.zip", ExportFormat.OBSIDIAN: "obsidian.zip"}
LABELS = {
    ExportFormat.JSON: "JSON",
    ExportFormat.CSV: "CSV",
    ExportFormat.BIBTEX: "BibTeX",
    ExportFormat.RIS: "RIS",
    ExportFormat.CSL_JSON: "CSL-JSON",
    ExportFormat.GRAPHML: "GraphML",
    ExportFormat.RO_CRATE: "RO-Crate",
    ExportFormat.OBSIDIAN: "Obsidian",
}
# The longest ending that fits decides.
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
    """The format that a file's name asks for; JSON where it asks for none."""
    name = "" if path is None else path.name.lower()
    return next((found for ending, found in _ENDINGS.items() if name.endswith(ending)), ExportFormat.JSON)


def schema_text() -> str:
    """The JSON Schema of the JSON export, as it is published."""
    return files("lyra.report.export").joinpath(SCHEMA_NAME).read_text("utf-8")


def export_files(records: TaskRecords, wanted: ExportFormat, report: str) -> dict[str, bytes]:
    """The files of an export by their paths: one, or those of a folder. `report` is the task's report as Markdown."""
    match wanted:
        case ExportFormat.REPORT:
            return {"report.md": report.encode()}
        case ExportFormat.OBSIDIAN:
            return notes(records)
        case ExportFormat.RO_CRATE:
            return crate_files(records, _crate_parts(records, report))
    one = TEXT_FORMATS[wanted]
    return {one.name: one.write(records).encode()}


def _crate_parts(records: TaskRecords, report: str) -> tuple[CrateFile, ...]:
    """Every other export, the schema of the JSON, and the report."""
    written = (
        CrateFile(one.name, one.description, one.media_type, one.write(records).encode())
        for one in TEXT_FORMATS.values()
    )
    schema = CrateFile(SCHEMA_NAME, "JSON Schema of evidence.json.", "application/schema+json", schema_text().encode())
    return (*written, schema, CrateFile("report.md", "The report.", "text/markdown", report.encode()))


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The files as one zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, _DAY)
            info.external_attr = 0o600 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
