"""What the files of a backup may hold: whoever made it may have written anything under a name that is Lyra's."""

from pathlib import Path

import yaml

from lyra.active_html import is_active_html
from lyra.archive.files import begins_with_record
from lyra.errors import LyraError
from lyra.redact.key import KEY_FILE, parse_key
from lyra.trust.levels import read_overrides

DOMAINS_FILE = "domains.yaml"
# What reports and drafts are written in; nothing that a system runs.
REPORT_SUFFIXES = (".md", ".markdown", ".txt", ".html", ".htm", ".docx", ".pdf", ".bib", ".ris")
_MAX_KEY_BYTES = 200
_MAX_DOMAINS_BYTES = 4_000_000


def problem_in(path: Path, name: str) -> str | None:
    """Why the file, by its path below the data directory, is not what backups hold; None where it is."""
    try:
        if name == KEY_FILE:
            return _problem_in_key(path)
        if name == DOMAINS_FILE:
            return _problem_in_domains(path)
    except (LyraError, UnicodeDecodeError, yaml.YAMLError, RecursionError, ValueError) as exc:
        return f"{name} in it is not as Lyra writes it ({getattr(exc, 'message', type(exc).__name__)})"
    if name.endswith(".warc.gz") and path.stat().st_size and not begins_with_record(path):
        return f"{name} in it holds no archived record"
    if name.lower().endswith((".html", ".htm")) and is_active_html(path.read_bytes()):
        return f"{name} in it is a page that runs or loads something"
    return None


def _problem_in_key(path: Path) -> str | None:
    if path.stat().st_size > _MAX_KEY_BYTES:
        return f"{KEY_FILE} in it is not a key"
    parse_key(path.read_text("ascii", errors="replace"))
    return None


def _problem_in_domains(path: Path) -> str | None:
    if path.stat().st_size > _MAX_DOMAINS_BYTES:
        return f"{DOMAINS_FILE} in it is larger than any list of domains"
    text = path.read_text("utf-8")
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
        return f"{DOMAINS_FILE} in it refers to its own parts, which can grow without end"
    read_overrides(text, Path(DOMAINS_FILE))
    return None


def count_overrides(directory: Path) -> int:
    """How many domains the user's list in this directory gives a level or a rate."""
    path = directory / DOMAINS_FILE
    if not path.is_file():
        return 0
    found = read_overrides(path.read_text("utf-8"), path)
    return len(found.levels) + len(found.rates)
