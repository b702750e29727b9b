"""Where the weights lie: inside the package, in the large reader's data package, or where the user says."""

from importlib.util import find_spec
from pathlib import Path

from lyra.model.edge import LARGE_READER

# The large reader comes as a package of its own, so that no wheel is too large for an index.
DATA_PACKAGE = "lyra_reader_large"
_BUNDLED = Path(__file__).parent / "weights"


def model_directory(name: str, root: Path | None = None) -> Path:
    """The directory of a model that everyone has; `root` is the user's own directory, in which every model has one."""
    return (root or _BUNDLED) / name


def large_reader_directory(root: Path | None = None) -> Path | None:
    """The directory of the large reader; None where it is not installed, or not in the user's directory."""
    above = root or _data_package()
    return above / LARGE_READER if above and (above / LARGE_READER).is_dir() else None


def _data_package() -> Path | None:
    found = find_spec(DATA_PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None
