"""A real database and clocks that a test holds in its hand."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.storage.database import Database
from tests.clocks import HeldClock, StoppedClock
from tests.conftest import NewDatabase

START = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


class Middle:
    """Chance that always takes the middle."""

    def uniform(self, low: float, high: float) -> float:
        return (low + high) / 2


@pytest.fixture
async def db(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    database = await Database.open(new_database(tmp_path / "lyra.db"))
    yield database
    await database.close()


@pytest.fixture
def leaping() -> HeldClock:
    return HeldClock(START)


@pytest.fixture
def held() -> StoppedClock:
    return StoppedClock(START)


@pytest.fixture
def middle() -> Middle:
    return Middle()
