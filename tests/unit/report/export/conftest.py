"""Exports in every format, written once."""

import pytest

from lyra.report.export.names import ExportFormat
from tests.export_data import Exports, hostile_records, many_records, written


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Exports:
    return written(hostile_records(), tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session", params=[0, 3_000], ids=["no claims", "3,000 claims"])
def sized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exports:
    """Without notes, of which there would be thousands."""
    formats = set(ExportFormat) - {ExportFormat.OBSIDIAN}
    return written(many_records(request.param), tmp_path_factory.mktemp("sized"), formats)
