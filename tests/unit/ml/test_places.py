"""Where the weights lie."""

from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import lyra.ml.places
from lyra.ml.places import DATA_PACKAGES, SHIPPED, larger_readers, place_of

INSIDE = Path(lyra.ml.places.__file__).parent / "weights"


def add_package(root: Path, name: str) -> Path:
    """An installed data package with the directory of one reader."""
    package = root / DATA_PACKAGES[name]
    (package / name).mkdir(parents=True)
    (package / "__init__.py").touch()
    return package / name


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory in which Python looks for packages."""
    found = tmp_path / "packages"
    found.mkdir()
    monkeypatch.setattr("sys.path", [str(found)])
    monkeypatch.setattr("sys.meta_path", [PathFinder])  # an editable installation adds finders of its own
    return found


@pytest.mark.parametrize("name", ["embedder", "small"])
def test_the_small_models_lie_inside_the_package(name: str) -> None:
    """Everyone has them, with nothing else installed."""
    assert place_of(name) == INSIDE / name


def test_a_larger_reader_lies_in_its_data_package(packages: Path) -> None:
    """It comes in a wheel of its own."""
    place = add_package(packages, "english")

    assert place_of("english") == place
    assert larger_readers() == {"english": place}


def test_larger_readers_come_in_a_fixed_order(packages: Path) -> None:
    """English before Japanese, whichever was installed first."""
    japanese, english = add_package(packages, "japanese"), add_package(packages, "english")

    assert list(larger_readers().items()) == [("english", english), ("japanese", japanese)]


def test_a_reader_that_is_not_installed_has_no_directory(packages: Path) -> None:
    """Its absence is no error: there is no larger reader."""
    assert place_of("english").exists() is False
    assert larger_readers() == {}


def test_a_data_package_without_its_weights_is_no_reader(packages: Path) -> None:
    """A package in which the directory is missing counts as not installed."""
    add_package(packages, "english").rmdir()

    assert larger_readers() == {}


@pytest.mark.parametrize("name", ["embedder", "small", "english", "japanese"])
def test_the_user_s_directory_holds_one_for_each_model(tmp_path: Path, name: str) -> None:
    """The setting models.directory replaces every place at once."""
    assert place_of(name, tmp_path) == tmp_path / name


def test_the_user_s_directory_says_which_larger_readers_there_are(packages: Path, tmp_path: Path) -> None:
    """An installed one that it does not hold is not used: mixed weights would go unnoticed."""
    add_package(packages, "english")
    (tmp_path / "own" / "japanese").mkdir(parents=True)
    (tmp_path / "own" / "english").touch()

    assert larger_readers(tmp_path / "own") == {"japanese": tmp_path / "own" / "japanese"}


def test_what_is_shipped_is_known_by_its_package() -> None:
    """`lyra doctor` names the package of a shipped reader that is missing."""
    assert {name: DATA_PACKAGES[name] for name in SHIPPED} == {"english": "lyra_reader_english"}
