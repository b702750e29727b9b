"""The texts of `lyra bench check` and how errors in them count."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from lyra.extract.draft import Draft, read_draft
from lyra.model.check import CheckedKind, CheckStatus, Finding, Place, Source
from lyra.model.page import Identifier
from lyra_bench.measure.check import (
    NAMES,
    CheckedText,
    Outcome,
    PlantedError,
    as_read,
    default_folder,
    figures,
    is_not_read,
    pages_read,
    read_texts,
    region,
)

ERROR = PlantedError("wrong_number", "fell by 5 percent", "fell by 9 percent")
TEXT = CheckedText("t.md", "x", "en", "unseen", "One. It fell by 5 percent [1]. Two.", (ERROR,))


class ReadHere:
    """Reads files as the command does, but in this process."""

    async def read(self, path: Path) -> Draft:
        body = await asyncio.to_thread(path.read_bytes)
        return read_draft(body, path.suffix)


def test_the_texts_hold_both_languages_and_every_kind_of_error() -> None:
    """Errors can be planted: the words occur once (read_texts refuses others)."""
    texts = read_texts(default_folder())

    counted = Counter((one.part, one.language) for one in texts for _ in one.errors)
    assert counted == {
        ("tuning", "en"): 26,
        ("tuning", "ja"): 13,
        ("held_out", "en"): 32,
        ("held_out", "ja"): 32,
        ("unseen", "en"): 39,
        ("unseen", "ja"): 40,
    }
    assert {error.kind for one in texts for error in one.errors} == set(NAMES)


async def test_an_error_lies_in_its_sentence_and_the_mark_behind_it() -> None:
    """Up to where the next sentence begins."""
    start, end = await region(ReadHere(), TEXT, ERROR)

    assert TEXT.with_errors()[start:end] == "It fell by 9 percent [1]. "


async def test_an_error_in_html_lies_in_the_text_as_it_is_read() -> None:
    """`lyra check` sees no tags, and neither does the benchmark; a superscript stays with its sentence."""
    markup = "<!doctype html><title>T</title><p>One. It fell by 5 percent.<sup><a href='#s1'>1</a></sup> Two.</p>"
    page = replace(TEXT, name="t.html", text=markup)
    text = await as_read(ReadHere(), page.name, page.with_errors())

    start, end = await region(ReadHere(), page, ERROR)

    assert text[start:end] == "It fell by 9 percent.¹ "


@pytest.mark.parametrize(
    ("found", "alarms", "is_passed"), [(True, (), True), (False, (), False), (True, ("x",), False)]
)
def test_the_bars_are_held_by_texts_nobody_tuned_on(found: bool, alarms: tuple[str, ...], is_passed: bool) -> None:
    """Found in 95 of 100, false alarms in 2 of 100 items."""
    told = figures([Outcome(TEXT, 40, alarms, ((ERROR, found, found),), 1.0)])

    assert (told["is_passed"], told["unseen"]["en"]["errors"]) == (is_passed, 1)


def test_pages_that_were_not_read_are_told_beside_the_false_alarms() -> None:
    """Both shares are printed; the bar is held against the one without them."""
    told = figures([Outcome(TEXT, 40, ("a", "b"), ((ERROR, True, True),), 1.0, ("a", "b"))])["unseen"]["en"]

    assert {
        name: told[name] for name in ("false_alarms", "not_read", "false_alarms_without_not_read", "is_passed")
    } == {
        "false_alarms": 0.05,
        "not_read": 2,
        "false_alarms_without_not_read": 0.0,
        "is_passed": True,
    }


READ = Source(
    "p_1",
    "https://www.lab.example/report/",
    "Report",
    "p_1",
    final_url="https://lab.example/r",
    identifiers=(Identifier("doi", "10.5555/X.1"),),
)


@pytest.mark.parametrize(
    ("status", "named", "expected"),
    [
        pytest.param(CheckStatus.SOURCE_MISSING, ("https://lab.example/other",), True, id="another page"),
        pytest.param(CheckStatus.SOURCE_MISSING, ("doi:10.5555/y.2",), True, id="another work"),
        pytest.param(CheckStatus.SOURCE_MISSING, ("http://lab.example/report",), False, id="read, and not found"),
        pytest.param(CheckStatus.SOURCE_MISSING, ("https://lab.example/r",), False, id="read under its last address"),
        pytest.param(CheckStatus.SOURCE_MISSING, ("doi:10.5555/x.1",), False, id="read under its identifier"),
        pytest.param(CheckStatus.SOURCE_MISSING, (), False, id="a name that was not found"),
        pytest.param(CheckStatus.UNSUPPORTED, ("https://lab.example/other",), False, id="another failure"),
    ],
)
def test_what_was_not_read_is_decided_by_the_addresses_in_the_graph(
    status: CheckStatus, named: tuple[str, ...], expected: bool
) -> None:
    """A name alone proves nothing: only an address or identifier that the graph has not."""
    finding = Finding(CheckedKind.CITATION, status, Place(1, 1, 0, 1), "x", "", sources=named)

    assert is_not_read(finding, pages_read((READ,))) is expected


def test_every_kind_is_named_by_failures() -> None:
    """A status that is no failure would never be counted."""
    assert all(status.is_failure for own in NAMES.values() for status in own)
    assert CheckStatus.NOT_CHECKED.is_failure is False
