"""Registrable domains, for the host names of the simulated web."""

from __future__ import annotations

# Public suffixes of two labels that occur in our worlds; every other host is taken to end in one label.
_LONG_SUFFIXES = frozenset(
    f"{second}.{country}"
    for country, seconds in {
        "jp": ("ac", "co", "ed", "go", "gr", "lg", "ne", "or"),
        "uk": ("ac", "co", "gov", "nhs", "org"),
        "au": ("com", "edu", "gov", "org"),
    }.items()
    for second in seconds
)


def registrable(host: str) -> str:
    """`www.med.seito-u.ac.jp` → `seito-u.ac.jp`."""
    labels = host.lower().rstrip(".").split(".")
    size = 3 if ".".join(labels[-2:]) in _LONG_SUFFIXES else 2
    return ".".join(labels[-size:])
