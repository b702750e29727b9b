"""The simulated web for tests of single parts; a folder that wants another one has its own `simulated`."""

from collections.abc import Iterator

import pytest

from simweb import SimWeb


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimWeb]:
    with SimWeb() as web:
        yield web


@pytest.fixture
def web(simulated: SimWeb) -> Iterator[SimWeb]:
    """The simulated web with a clean journal and no faults of a test."""
    simulated.journal.clear()
    simulated.faults.clear()
    yield simulated
    simulated.faults.clear()
