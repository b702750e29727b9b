"""What is taken out of addresses and headers and what stays, measured on a written list of both kinds."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from lyra.redact.redactor import Redactor

REDACTOR = Redactor(lambda: b"the key of this data directory")
_LINES = [
    line.split("\t")
    for line in (Path(__file__).parent / "cases.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
SECRET = [text for kind, text in _LINES if kind == "secret"]
BENIGN = [text for kind, text in _LINES if kind == "benign"]


def redacted(line: str) -> str:
    """An address or a header as it would be kept."""
    if re.match(r"\w+://", line):
        return REDACTOR.url(line)
    name, value = line.split(": ", 1)
    ((_, kept),) = REDACTOR.headers(((name, value),))
    return f"{name}: {kept}"


def expected(line: str) -> str:
    return re.sub("«(.*?)»", lambda found: REDACTOR.mask(unquote(found.group(1))), line)


@pytest.mark.parametrize("line", SECRET)
def test_a_secret_becomes_its_keyed_hash_and_the_rest_stays(line: str) -> None:
    """Signatures, tokens, keys, codes, sessions and passwords go; whatever stands around them can still be read."""
    assert redacted(re.sub("[«»]", "", line)) == expected(line)


@pytest.mark.parametrize("line", BENIGN)
def test_a_benign_value_stays_to_the_byte(line: str) -> None:
    """Codes of countries, shares and laws, ids of papers, digests, words: nothing of them is hidden."""
    assert redacted(line) == line


def test_the_list_has_both_kinds() -> None:
    """The measurement rests on this many lines."""
    assert (len(SECRET), len(BENIGN)) == (134, 142)
