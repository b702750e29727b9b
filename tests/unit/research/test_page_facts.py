"""What a page says of itself and what its links name."""

import pytest

from lyra.model.page import Document, Identifier, PageNotice
from lyra.research.page_facts import link_targets, page_notice

READ_ON = "2026-03-14"


@pytest.mark.parametrize(
    ("title", "text", "notice"),
    [
        ("Wireless beats the cable", "Wireless is faster.", PageNotice()),
        (
            "Wireless beats the cable",
            "Wireless is faster.\nThis article was retracted on 3 February 2026 at the request of the editors.",
            PageNotice("retracted", "2026-02-03"),
        ),
        (
            "Fewer slips",
            "This article has been retracted. Please see the notice of 19 November 2024.",
            PageNotice("retracted", "2024-11-19"),
        ),
        ("論文", "この論文は2024年3月29日付で撤回された。", PageNotice("retracted", "2024-03-29")),
        ("RETRACTED: Fewer slips", "Errors fell.", PageNotice("retracted", "2025-01-20")),
        ("Retraction: Fewer slips", "The editors retract the article by Lucan Frayne.", PageNotice()),
        (
            "Fewer slips",
            "This article was retracted on 3 February 2025.\nThe retraction was withdrawn on 4 May 2025.",
            PageNotice("reinstated"),
        ),
        (
            "Fewer slips",
            "This article was retracted in error and has been reinstated.",
            PageNotice("reinstated"),
        ),
        (
            "Fewer slips",
            "The retraction was withdrawn on 4 May 2025.\nThis article was retracted on 9 September 2025.",
            PageNotice("retracted", "2025-09-09"),
        ),
        ("論文", "本論文は2024年3月29日に撤回された。\n撤回は2025年1月8日に取り消された。", PageNotice("reinstated")),
        (
            "Hospital buys headbands",
            "It paid 410,400 dollars.\nThis article was amended on 7 March 2025; see our corrections column.",
            PageNotice(is_corrected=True, corrected_on="2025-03-07"),
        ),
        (
            "湖の草刈り（訂正あり）",
            "【訂正】費用の額に誤りがあり、本文を改めました。（9月20日）",
            PageNotice(is_corrected=True, corrected_on="2025-01-20"),
        ),
    ],
)
def test_what_a_page_says_of_itself(title: str, text: str, notice: PageNotice) -> None:
    """With the day that it names, else the day of its update, 20 January 2025."""
    assert page_notice(title, text, updated="2025-01-20", read_on=READ_ON) == notice


def test_metadata_may_say_it() -> None:
    """The text is the abstract alone."""
    found = page_notice("Fewer slips", "Errors fell.", updated=None, read_on=READ_ON, is_marked=True)

    assert found == PageNotice("retracted", None)


@pytest.mark.parametrize("updated", [None, "2099-01-01"])
def test_a_day_in_the_future_is_not_believed(updated: str | None) -> None:
    """The retraction is, on a day that is not known."""
    text = "This article was retracted on 3 February 2099."

    assert page_notice("A", text, updated=updated, read_on=READ_ON) == PageNotice("retracted", None)


def test_links_name_papers_by_identifier_and_other_pages_by_address() -> None:
    """Each thing once, in canonical form; what is not a web address is left out."""
    document = Document(
        "Title",
        "Text.",
        "en",
        links=(
            "https://doi.org/10.5555/JMETD.2018.1102",
            "https://doi.org/10.5555/jmetd.2018.1102?utm_source=x",
            "https://Example.org/a?utm_source=news&b=1#top",
            "mailto:editor@example.org",
        ),
    )

    found = link_targets(document)

    assert found == [
        ("https://doi.org/10.5555/JMETD.2018.1102", Identifier("doi", "10.5555/jmetd.2018.1102")),
        ("https://example.org/a?b=1", Identifier("url", "https://example.org/a?b=1")),
    ]


def test_a_paper_does_not_cite_itself() -> None:
    """The DOI at the head of an article is its own."""
    own = Identifier("doi", "10.5555/csg.2021.0203")
    document = Document(
        "題", "本文。", "ja", page_type="paper", identifiers=(own,), links=("https://doi.org/10.5555/csg.2021.0203",)
    )

    assert link_targets(document) == []
