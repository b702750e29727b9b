"""Where the weights lie."""

from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import lyra.ml.card
from lyra.ml.card import DATA_PACKAGE, large_reader_directory, model_directory

INSIDE = Path(lyra.ml.card.__file__).parent / "weights"


def add_package(root: Path) -> Path:
    """The data package as it is installed, with the directory of the large reader."""
    package = root / DATA_PACKAGE
    (package / "large").mkdir(parents=True)
    (package / "__init__.py").touch()
    return package / "large"


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
    assert model_directory(name) == INSIDE / name


def test_the_large_reader_lies_in_its_data_package(packages: Path) -> None:
    """It comes in a wheel of its own."""
    place = add_package(packages)

    assert large_reader_directory() == place


def test_a_large_reader_that_is_not_installed_has_no_place(packages: Path) -> None:
    """Its absence is no error."""
    assert large_reader_directory() is None


def test_a_data_package_without_its_weights_is_no_reader(packages: Path) -> None:
    """A package in which the directory is missing counts as not installed."""
    add_package(packages).rmdir()

    assert large_reader_directory() is None


@pytest.mark.parametrize("name", ["embedder", "small"])
def test_the_user_s_directory_holds_one_for_each_model(tmp_path: Path, name: str) -> None:
    """The setting models.directory replaces every place at once."""
    assert model_directory(name, tmp_path) == tmp_path / name


def test_the_user_s_directory_may_hold_a_large_reader(packages: Path, tmp_path: Path) -> None:
    """It is used in place of the installed one."""
    add_package(packages)
    own = tmp_path / "own" / "large"
    own.mkdir(parents=True)

    assert large_reader_directory(tmp_path / "own") == own


def test_an_installed_large_reader_that_the_user_s_directory_does_not_hold_is_not_used(
    packages: Path, tmp_path: Path
) -> None:
    """Mixed weights would go unnoticed; a file of that name is none either."""
    add_package(packages)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "large").touch()

    assert large_reader_directory(tmp_path / "own") is None


def test_the_name_of_the_data_package_is_the_published_one() -> None:
    """`lyra doctor` tells users to install lyra-reader-large, whose module this is."""
    assert DATA_PACKAGE == "lyra_reader_large"
