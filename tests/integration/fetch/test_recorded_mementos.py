"""The archive's own headers, recorded (third-party data beside the checkout)."""

from pathlib import Path
from typing import Any

import yaml

from lyra.fetch.wayback import previous, taken_at
from lyra.model.page import FetchOutcome, FetchResult


def recorded(file: Path) -> list[FetchResult]:
    interactions: list[dict[str, Any]] = yaml.safe_load(file.read_text("utf-8"))["interactions"]
    return [
        FetchResult(
            one["request"]["uri"],
            FetchOutcome.OK,
            final_url=one["request"]["uri"],
            headers=tuple((name, values[0]) for name, values in one["response"]["headers"].items()),
        )
        for one in interactions
    ]


def test_recorded_copy_leads_to_the_one_before(shared_data: Path) -> None:
    """Date and previous copy are read off a real answer of the archive."""
    folder = shared_data / "api" / "wayback" / "src" / "wayback" / "tests" / "cassettes"

    copy = recorded(folder / "test_get_memento_with_string_datetime.yaml")[-1]

    moment = taken_at(copy)
    assert moment is not None
    assert moment.isoformat() == "2017-11-24T15:13:15+00:00"
    assert previous(copy) == "https://web.archive.org/web/20170929002712id_/https://www.fws.gov/birds/"
