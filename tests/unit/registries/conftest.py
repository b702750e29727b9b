"""Fixtures of the fakes that stand in for an API."""

import pytest

from tests.api_fakes import NoWait, Played


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.fixture
def clock() -> NoWait:
    return NoWait()
