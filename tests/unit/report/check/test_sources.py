"""Which addresses stand for one page."""

import pytest

from lyra.redact.redactor import Redactor
from lyra.report.check.sources import address_key

WHOLE = "https://www.fdso.gov/safety/heart/?token=abcdef123456&page=2"


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(WHOLE, id="whole"),
        pytest.param(Redactor(lambda: b"key").url(WHOLE), id="from an export"),
        pytest.param(Redactor().url(WHOLE), id="from a pack"),
        pytest.param("http://fdso.gov/safety/heart?token=redacted&page=2", id="written otherwise"),
    ],
)
def test_an_address_is_found_with_and_without_its_secret(shown: str) -> None:
    """A draft that cites what a report or export shows cites the page."""
    assert address_key(shown) == "fdso.gov/safety/heart?page=2&token=redacted"


def test_other_pages_have_other_keys() -> None:
    """Only what is secret is left out of account."""
    assert address_key("https://www.fdso.gov/safety/heart?page=3") == "fdso.gov/safety/heart?page=3"
