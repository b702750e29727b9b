"""L8: the audit log, a file of its own for what the security layers found (seeds §8.2); never words of pages."""

from typing import Any

from lyra.observe.log import AUDIT_LOGGER, get_logger

_log = get_logger(AUDIT_LOGGER)


def record(layer: str, event: str, **facts: Any) -> None:
    """One line: the layer (`L2`, `L4`, `L7`), what it found, and ids, names and numbers about it."""
    _log.warning(event, layer=layer, **facts)
