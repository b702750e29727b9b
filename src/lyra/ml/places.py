"""Where the weights lie: inside the package, in data packages of their own, or where the user says."""

from importlib.util import find_spec
from pathlib import Path

# Larger readers come as data packages, so that no wheel is too large for an index.
DATA_PACKAGES = {"large": "lyra_reader_large"}
# Those that have been trained and published so far.
SHIPPED = ("large",)
_BUNDLED = Path(__file__).parent / "weights"


def place_of(name: str, root: Path | None = None) -> Path:
    """The directory of a model's weights; `root` is the user's own directory, in which every model has one."""
    if root is not None:
        return root / name
    package = DATA_PACKAGES.get(name)
    return _BUNDLED / name if package is None else _installed(package) / name


def larger_readers(root: Path | None = None) -> dict[str, Path]:
    """The larger readers that are installed, or that the user's directory holds."""
    return {name: place for name in DATA_PACKAGES if (place := place_of(name, root)).is_dir()}


def _installed(package: str) -> Path:
    """Where a data package lies; a directory that does not exist where it is not installed."""
    found = find_spec(package)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else _BUNDLED / package
