"""The values that a user gives, not checked yet: the settings file < environment (`LYRA_…`) < flags."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from lyra.errors import SettingsError

_PREFIX = "LYRA_"
_NOT_SETTINGS = frozenset({"LYRA_CONFIG", "LYRA_LANG"})


def default_config_path() -> Path:
    """Where the settings file is looked for."""
    return Path(platformdirs.user_config_dir("lyra", appauthor=False)) / "settings.toml"


def given_values(flags: Mapping[str, Any], environ: Mapping[str, str], path: Path | None) -> dict[str, Any]:
    """By section; flags have dotted names such as `network.proxy`. `path` is a file that was named and has to exist."""
    chosen = path or (Path(environ["LYRA_CONFIG"]) if environ.get("LYRA_CONFIG") else None)
    values = _read_file(chosen or default_config_path(), must_exist=chosen is not None)
    for name, text in environ.items():
        if name.startswith(_PREFIX) and name not in _NOT_SETTINGS:
            _put(values, name[len(_PREFIX) :].lower().split("__"), _from_text(text), origin=name)
    for dotted, value in flags.items():
        if value is not None:
            _put(values, dotted.split("."), value, origin=dotted)
    return values


def _read_file(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        if must_exist:
            raise SettingsError(
                f"The settings file {path} does not exist.", remedy="Create it or unset LYRA_CONFIG."
            ) from None
        return {}
    except (ValueError, RecursionError, OSError) as exc:  # ValueError: no TOML, no UTF-8, a number without end
        raise SettingsError(f"The settings file {path} cannot be read: {exc}.", remedy="Correct the file.") from exc


def _put(values: dict[str, Any], keys: list[str], value: Any, *, origin: str) -> None:
    section = values
    for key in keys[:-1]:
        section = section.setdefault(key, {})
        if not isinstance(section, dict):
            raise SettingsError(f"{origin}: {key} is not a section.", remedy="See docs/reference/settings.md.")
    section[keys[-1]] = value


def _from_text(text: str) -> Any:
    """JSON for lists and null, else the text itself: numbers and booleans are read by their field, keys are text."""
    if not text.lstrip().startswith(("[", "{")) and text != "null":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
