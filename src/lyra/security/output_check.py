"""L4: what a language model says may hold no address that it was not given, and nothing of what it was told."""

import re
from collections.abc import Iterable

from lyra.text import normalise

LEAK_CHARS = 20
_ADDRESSES = {
    "foreign_url": re.compile(r"\b(?:https?|ftp)://[^\s\"'<>]+", re.IGNORECASE),
    "foreign_ip": re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\b", re.IGNORECASE),
}
_TAG_IN_OUTPUT = re.compile(r"LYRA-[0-9a-f]{8,}", re.IGNORECASE)


def output_faults(words: Iterable[str], *, given: str, system: str) -> tuple[str, ...]:
    """The names of what is wrong: `foreign_url`, `foreign_ip`, `system_text`. Empty where nothing is.

    `given` is the data the model was shown, `system` what it was told.
    """
    said = normalise("\n".join(words))
    found = [
        name
        for name, pattern in _ADDRESSES.items()
        if any(address not in given for address in map(_without_punctuation, pattern.findall(said)))
    ]
    return (*found, "system_text") if _leaks(said, normalise(system)) else tuple(found)


def _without_punctuation(address: str) -> str:
    return address.rstrip(".,;:!?)]}、。）」")


def _leaks(said: str, system: str) -> bool:
    """Twenty characters in a row of the system text, or anything like its tag."""
    if _TAG_IN_OUTPUT.search(said):
        return True
    return any(system[at : at + LEAK_CHARS] in said for at in range(len(system) - LEAK_CHARS + 1))
