"""Sources that sentences name in their words."""

import pytest

from lyra.model.check import Source
from lyra.report.check.prose import NamedSource, ProseNames
from lyra.report.check.references import find_references
from lyra.report.check.sources import Resolution, SourceIndex


def source(number: int, site: str = "") -> Source:
    page = f"p_{number}"
    return Source(page, f"https://a.example/{number}", "", page, site_name=site)


SOURCES = (source(1), source(2), source(3), source(4), source(5, "Rivergate Echo"))
LIST = (
    "## Sources\n\nMillford Courier, Ann Thornwood: A day at the bridge. https://a.example/1\n\n"
    "Millford Courier: Corrections. https://a.example/2\n\n"
    "- 港湾新報「橋の一日」2024年6月7日　https://a.example/3\n- 鳥羽野市「橋の検証報告（概要版）」　https://a.example/4\n"
)
NAMES = ProseNames(tuple(find_references(LIST)), SourceIndex(SOURCES))


@pytest.mark.parametrize(
    ("sentence", "pages"),
    [
        ("The bridge is shut, according to Ann Thornwood of the Millford Courier.", ["p_1"]),
        ("Thornwood writes that the bridge is shut.", ["p_1"]),
        ("According to the Courier, the bridge is shut.", ["p_1", "p_2"]),
        ("The bridge is shut, says “A day at the bridge”.", ["p_1"]),
        ("According to the Rivergate Echo, the bridge is shut.", ["p_5"]),
        ("港湾新報が2024年6月7日に、橋が閉じたと伝えた。", ["p_3"]),
        ("港湾新報のルポによると、橋は閉じた。", ["p_3"]),
        ("港湾新報（2024年6月7日）は、橋が閉じたと伝えた。", ["p_3"]),
        ("市の検証報告によると、橋は閉じた。", ["p_4"]),
    ],
    ids=[
        "author",
        "family name",
        "several",
        "title",
        "graph",
        "day",
        "newspaper",
        "with a date",
        "report",
    ],
)
def test_a_name_with_words_that_ascribe_is_a_citation(sentence: str, pages: list[str]) -> None:
    """Of the entry that it fits best, or of all that it fits alike."""
    found = NAMES.resolve(sentence, None)

    assert found is not None
    assert [one.page_id for one in found.resolution.sources] == pages


@pytest.mark.parametrize(
    "sentence",
    [
        "The Millford Courier has its house at the bridge.",
        "鳥羽野市の橋は古い。",
        "According to nobody the bridge is open.",
        "The council said that the bridge is open.",
    ],
)
def test_a_name_alone_is_no_citation(sentence: str) -> None:
    """Nor are words that ascribe without a name."""
    assert NAMES.resolve(sentence, None) is None


BEFORE = Resolution((SOURCES[0],), named="before")


@pytest.mark.parametrize(
    ("sentence", "span"),
    [
        ("He adds that it is old.", (0, 7)),
        ("It is old, according to the same report.", (24, 39)),
        ("同紙は、古い橋だと伝えた。", (0, 2)),
    ],
)
def test_a_sentence_that_goes_on_stays_with_the_source_before(sentence: str, span: tuple[int, int]) -> None:
    """Where a pronoun or 同 names it."""
    assert NAMES.resolve(sentence, BEFORE) == NamedSource(BEFORE, span)


def test_a_sentence_without_pronoun_does_not_stay() -> None:
    """What follows need not come from the same source."""
    assert NAMES.resolve("The council said that it is old.", BEFORE) is None
