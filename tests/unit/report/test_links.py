"""Deep links open a page at the quoted words."""

from urllib.parse import quote

import pytest

from lyra.report.links import deep_link


@pytest.mark.parametrize(
    ("words", "link"),
    [
        ("Low-risk drug", "https://a.example/p#:~:text=Low%2Drisk%20drug"),
        ("", "https://a.example/p"),
        (
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
            "https://a.example/p#:~:text=one%20two%20three%20four%20five%20six,"
            "ten%20eleven%20twelve%20thirteen%20fourteen%20fifteen",
        ),
    ],
    ids=["short", "empty", "long English"],
)
def test_deep_link(words: str, link: str) -> None:
    """Short quotes are given whole, long ones by their first and last words."""
    assert deep_link("https://a.example/p", words) == link


def test_an_anchor_gives_way_to_the_passage() -> None:
    """Only one fragment fits into an address."""
    assert deep_link("https://a.example/p#top", "Low risk") == "https://a.example/p#:~:text=Low%20risk"


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        pytest.param(
            "海外の初期の試験では、シタグリプチンの追加により低血糖が約2倍に増加したと報告されているが、その後の試験では確かめられていない。",
            "海外の初期の試験では、シタグリプチンの追加により低血糖が",
            "その後の試験では確かめられていない。",
            id="after punctuation and before kanji",
        ),
        pytest.param(
            "インスリンに20 mgを追加した。 重症低血糖は両群とも認められなかった。",
            "インスリンに20",
            "重症低血糖は両群とも認められなかった。",
            id="never across a space",
        ),
        pytest.param("あ" * 40 + "い" * 40, "あ" * 40 + "い" * 40, None, id="whole where no word surely ends"),
        pytest.param("重症低血糖の増加は認められなかった。", "重症低血糖の増加は認められなかった。", None, id="short"),
    ],
)
def test_japanese_quote_is_cut_between_words(words: str, first: str, last: str | None) -> None:
    """Browsers part Japanese words by a dictionary and find nothing that begins or ends within one."""
    link = deep_link("https://a.example/", words)

    target = quote(first, safe="") + (f",{quote(last, safe='')}" if last else "")
    assert link == f"https://a.example/#:~:text={target}"


def test_row_of_a_table_is_given_by_its_outer_cells() -> None:
    """Cells are blocks of their own on the page; the bars between them are not there."""
    link = deep_link("https://a.example/", "Heart failure | 3.5% | 2.8% | 1.27")

    assert link == "https://a.example/#:~:text=Heart%20failure,1.27"


def test_quote_of_twelve_long_words_is_not_cut_within_one() -> None:
    """Up to twelve words are given whole, however long they are."""
    words = "Later trials of sitagliptin and linagliptin did not find such an increase."

    assert deep_link("https://a.example/", words) == f"https://a.example/#:~:text={quote(words, safe='')}"
