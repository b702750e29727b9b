"""Exports in every format, written once."""

import pytest

from lyra.report.export.names import ExportFormat
from tests.export_data import Exports, hostile_records, many_records, written


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Exports:
    return written(hostile_records(), tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def written_sizes(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Exports]:
    """Without notes, of which there would be thousands; kept here, for pytest gives a parameter up with every file."""
    formats = set(ExportFormat) - {ExportFormat.OBSIDIAN}
    return {size: written(many_records(size), tmp_path_factory.mktemp("sized"), formats) for size in (0, 3_000)}


@pytest.fixture(params=[0, 3_000], ids=["no claims", "3,000 claims"])
def sized(request: pytest.FixtureRequest, written_sizes: dict[int, Exports]) -> Exports:
    return written_sizes[request.param]
