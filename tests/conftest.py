"""Marks every test by the directory it lies in, and keeps unit tests off the network."""

import socket
from pathlib import Path

import pytest

_KINDS = ("unit", "integration", "e2e")
_TESTS = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        kind = item.path.relative_to(_TESTS).parts[0]
        assert kind in _KINDS, f"{item.path} lies in none of {_KINDS}"
        item.add_marker(getattr(pytest.mark, kind))


@pytest.fixture(autouse=True)
def _no_network_in_unit_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("unit"):

        def refused(*_: object, **__: object) -> None:
            raise AssertionError("a unit test tried to open a network connection")

        monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture
def shared_data() -> Path:
    """Third-party data beside the checkout; tests that need it are skipped where it is absent."""
    path = _TESTS.parent.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the third-party data set (../shared/data) is not on this machine")
    return path
