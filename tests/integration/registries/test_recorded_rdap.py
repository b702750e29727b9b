"""RDAP on recorded answers of real registries."""

from pathlib import Path

import pytest

from lyra.registries import rdap


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "rdap_whoisit/tests/data_rdap_response_domain1.json",
            [("registrar", "MarkMonitor Inc."), ("registered_on", "1997-09-15"), ("expires_on", "2028-09-14")],
        ),
        (
            "rdap_whoisit/tests/data_rdap_response_domain2.json",
            [("registrar", "Domeneshop AS"), ("registered_on", "2017-01-24"), ("changed_on", "2021-01-14")],
        ),
    ],
)
def test_a_recorded_domain_is_read(shared_data: Path, path: str, expected: list[tuple[str, str]]) -> None:
    """Registrar and days, in the order in which the record has them."""
    (record,) = rdap.read((shared_data / "api" / path).read_bytes())

    assert [(fact.predicate, fact.value) for fact in record.facts][:3] == expected


@pytest.mark.parametrize("folder", ["rdap_openrdap/test/testdata/jcard", "rdap_openrdap/test/testdata/misc"])
def test_malformed_answers_are_refused(shared_data: Path, folder: str) -> None:
    """No broken card or text gives a record, or anything but a ValueError."""
    outcomes = {_outcome(path) for path in sorted((shared_data / "api" / folder).glob("*.json"))}

    assert outcomes == {"refused"}


def _outcome(path: Path) -> str:
    try:
        rdap.read(path.read_bytes())
    except ValueError:
        return "refused"
    return "read"
