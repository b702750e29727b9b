"""The files of an export, in every format."""

import io
import zipfile
from collections.abc import Callable, Mapping

from lyra.report.export.bibtex import bibtex_text
from lyra.report.export.csl import csl_json_text
from lyra.report.export.evidence import json_text
from lyra.report.export.graphml import graphml_text
from lyra.report.export.names import SCHEMA_NAME, TEXT_FORMATS, ExportFormat, schema_text
from lyra.report.export.obsidian import notes
from lyra.report.export.records import TaskRecords
from lyra.report.export.ris import ris_text
from lyra.report.export.ro_crate import CrateFile, crate_files
from lyra.report.export.table import csv_text

_DAY = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
_WRITERS: dict[ExportFormat, Callable[[TaskRecords], str]] = {
    ExportFormat.JSON: json_text,
    ExportFormat.BIBTEX: bibtex_text,
    ExportFormat.RIS: ris_text,
    ExportFormat.CSL_JSON: csl_json_text,
    ExportFormat.CSV: csv_text,
    ExportFormat.GRAPHML: graphml_text,
}


def export_files(records: TaskRecords, wanted: ExportFormat, report: str) -> dict[str, bytes]:
    """The files of an export by their paths: one, or those of a folder. `report` is the task's report as Markdown."""
    match wanted:
        case ExportFormat.REPORT:
            return {"report.md": report.encode()}
        case ExportFormat.OBSIDIAN:
            return notes(records)
        case ExportFormat.RO_CRATE:
            return crate_files(records, _crate_parts(records, report))
    return {TEXT_FORMATS[wanted].name: _WRITERS[wanted](records).encode()}


def _crate_parts(records: TaskRecords, report: str) -> tuple[CrateFile, ...]:
    """Every other export, the schema of the JSON, and the report."""
    written = (
        CrateFile(one.name, one.description, one.media_type, _WRITERS[wanted](records).encode())
        for wanted, one in TEXT_FORMATS.items()
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
