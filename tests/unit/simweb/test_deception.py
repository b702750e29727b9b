"""Planted deception and changes are checked against the pages."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from simweb.deception import (
    Change,
    Farm,
    Injection,
    Lookalike,
    Loop,
    near_copy,
    read_changes,
    read_farms,
    read_injections,
    read_lookalikes,
    read_loops,
)
from simweb.markdown import parse
from simweb.model import Page, Site
from simweb.world import WorldError

SITE = Site("www.x.org", "X", "blog", "en", "blog")
A, B, C = (f"https://www.x.org/{name}" for name in "abc")
WORDS = "one two three four five six seven eight nine ten"


def page(path: str, text: str = "Words.", **more: Any) -> Page:
    return Page(SITE, path, "T", parse(text), text, **more)


def described(section: str, /, **item: Any) -> dict[str, Any]:
    return {section: [item]}


CIRCLE = {A: page("/a", cites=(B,)), B: page("/b", cites=(C,)), C: page("/c", cites=(A,))}


def test_a_circle_of_citations_is_read() -> None:
    """Each page cites the next, the last the first."""
    assert read_loops(described("loops", name="l", pages=[A, B, C]), CIRCLE) == (Loop("l", (A, B, C)),)


def test_an_open_chain_is_no_loop() -> None:
    """A page that does not cite the next one breaks the circle."""
    with pytest.raises(WorldError, match=r"https://www\.x\.org/b does not cite https://www\.x\.org/a"):
        read_loops(described("loops", name="l", pages=[A, B]), CIRCLE)


def test_pages_of_one_template_are_a_farm() -> None:
    """Most of their 5-grams are shared."""
    pages = {A: page("/a", f"{WORDS} for students"), B: page("/b", f"{WORDS} for parents")}

    found = read_farms(described("farms", name="f", claim="c", pages=[A, B]), pages)

    assert found == (Farm("f", "c", (A, B)),)


def test_pages_of_other_words_are_no_farm() -> None:
    """A page that was written by itself does not belong to a farm."""
    pages = {A: page("/a", WORDS), B: page("/b", "quite another text with its own words altogether")}

    with pytest.raises(WorldError, match=r"https://www\.x\.org/b is not made from the template"):
        read_farms(described("farms", name="f", claim="c", pages=[A, B]), pages)


@pytest.mark.parametrize(
    ("one", "other", "lang", "share"),
    [
        pytest.param(WORDS, WORDS, "en", 1.0, id="same"),
        pytest.param(WORDS, WORDS.replace("ten", "TEN"), "en", 1.0, id="case does not matter"),
        pytest.param(WORDS, WORDS.replace("ten", "more"), "en", 5 / 7, id="last word differs"),
        pytest.param("給食費を無償化", "給食費を有償化", "ja", 0.0, id="Japanese by characters"),
        pytest.param("", "", "en", 0.0, id="empty"),
    ],
)
def test_likeness_is_the_share_of_common_5_grams(one: str, other: str, lang: str, share: float) -> None:
    """Jaccard similarity of word 5-grams, of character 5-grams in Japanese."""
    assert near_copy(page("/a", one, lang=lang), page("/b", other, lang=lang)) == pytest.approx(share)


def test_a_hidden_injection_is_read() -> None:
    """A page with hidden text is listed as such, one that only speaks of it as a mention."""
    pages = {A: page("/a", hidden="Obey."), B: page("/b")}
    listed = {"injections": [{"url": A, "kind": "hidden"}, {"url": B, "kind": "mention"}]}

    assert read_injections(listed, pages) == (Injection(A, "hidden"), Injection(B, "mention"))


@pytest.mark.parametrize(("url", "kind"), [(B, "hidden"), (A, "mention"), (B, "loud")])
def test_an_injection_that_is_not_there_is_refused(url: str, kind: str) -> None:
    """The truth file cannot claim an injection that the page lacks, nor overlook one."""
    pages = {A: page("/a", hidden="Obey."), B: page("/b")}

    with pytest.raises(WorldError, match="has no injection of kind"):
        read_injections(described("injections", url=url, kind=kind), pages)


OLD = page("/a", "It grew by thirty per cent.", date=date(2023, 10, 5))
NEW = page("/a", "It grew by three per cent.", date=date(2023, 10, 5), updated=date(2023, 11, 2), earlier=(OLD,))
CORRECTED = {"url": A, "date": date(2023, 11, 2), "kind": "correction", "before": "thirty", "after": "three"}


def test_a_correction_is_read() -> None:
    """The old words stood until the day, the new ones stand since."""
    found = read_changes(described("changes", **CORRECTED), {A: NEW})

    assert found == (Change(A, date(2023, 11, 2), "correction", "thirty", "three"),)


def test_a_removal_needs_a_page_that_is_gone() -> None:
    """What was removed says nothing any more."""
    gone = replace(NEW, blocks=(), text="", is_gone=True)
    removed = {"url": A, "date": date(2023, 11, 2), "kind": "removal", "before": "thirty"}

    assert read_changes(described("changes", **removed), {A: gone})[0].after == ""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param({"date": date(2023, 10, 5)}, "did not change on", id="there was no page the day before"),
        pytest.param({"kind": "whim"}, "did not change on", id="unknown kind"),
        pytest.param({"before": "forty"}, "did not lose 'forty'", id="never said"),
        pytest.param({"date": date(2023, 11, 3)}, "did not lose 'thirty'", id="another day"),
        pytest.param({"after": "two"}, "did not come to say 'two'", id="does not say"),
        pytest.param({"kind": "removal"}, "did not come to say", id="not removed"),
    ],
)
def test_a_change_that_did_not_happen_is_refused(wrong: dict[str, Any], message: str) -> None:
    """Each part of a change is checked against the versions."""
    with pytest.raises(WorldError, match=message):
        read_changes(described("changes", **{**CORRECTED, **wrong}), {A: NEW})


def test_a_lookalike_is_read() -> None:
    """A sentence that its page holds and that is no evidence on the claim."""
    pages = {A: page("/a", "The other lake is clear.")}

    found = read_lookalikes(
        described("lookalikes", claim="c", url=A, quote="The other lake is clear."), pages, {"c": set()}
    )

    assert found == (Lookalike("c", A, "The other lake is clear."),)


@pytest.mark.parametrize(
    ("claim", "quote", "message"),
    [
        pytest.param("d", "Clear.", f"no claim d for the lookalike on {A}", id="an unknown claim"),
        pytest.param("c", "Murky.", f"{A} does not say 'Murky.'", id="a sentence that is not there"),
        pytest.param("c", "Clear.", "'Clear.' is both evidence on c and a lookalike", id="evidence"),
    ],
)
def test_a_wrong_lookalike_is_refused(claim: str, quote: str, message: str) -> None:
    """It names a claim, stands on its page and is not evidence at the same time."""
    pages = {A: page("/a", "Clear.")}

    with pytest.raises(WorldError) as caught:
        read_lookalikes(described("lookalikes", claim=claim, url=A, quote=quote), pages, {"c": {(A, "Clear.")}})

    assert str(caught.value) == f"truth.yaml: {message}"
