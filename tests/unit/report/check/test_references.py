"""Lists of sources by whatever heading and in whatever form."""

import pytest

from lyra.report.check.layout import lay_out
from lyra.report.check.references import find_references

EXHIBITS = "橋は閉じられた（乙2）。\n\n## 証拠一覧\n\n乙1　鳥羽市「年報」 https://a.example/1\n\n乙2　港湾新聞 https://a.example/2\n"
RAISED = "<p>The bridge is shut.<sup>2</sup> It is old.<sup>1</sup></p>\n\n<h2>What I read</h2>\n<ol>\n"
ENTRIES = '<li>Port News, “A bridge” <a href="https://a.example/1">x</a></li>\n<li>Mill Post, “Shut” https://a.example/2</li>\n</ol>\n'


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param(EXHIBITS, ["乙1", "乙2"], id="exhibits"),
        pytest.param(
            "It is shut (Exhibit 2).\n\n## Exhibits\n\nExhibit 1: Port News https://a.example/1\n\n"
            "Exhibit 2: Mill Post https://a.example/2\n",
            ["Exhibit 1", "Exhibit 2"],
            id="English exhibits",
        ),
        pytest.param(RAISED + ENTRIES, ["1", "2"], id="ordered list"),
        pytest.param(
            "橋は閉じています2。古い橋です1。\n\n## 読んだもの\n\n- 港湾新聞「橋」 https://a.example/1\n- 市 https://a.example/2\n",
            ["1", "2"],
            id="superscripts without markup",
        ),
        pytest.param(
            "The bridge is shut.\n\n## Where it stands\n\n- Port News, “A bridge”. https://a.example/1\n"
            "- Mill Post, “Shut”. https://a.example/2\n",
            ["", ""],
            id="any heading",
        ),
        pytest.param(
            "橋は閉じた。\n\n## 橋と道\n\n- 橋は3年で5回閉じた https://a.example/1\n- 道は市が直した https://a.example/2\n",
            [],
            id="statements with addresses",
        ),
        pytest.param(
            "橋は閉じた。\n\n- 橋は3年で5回閉じた https://a.example/1\n- 市は「直す」と述べた https://a.example/2\n"
            "- 停留所「橋前」は残る https://a.example/3\n",
            [],
            id="statements with quotations",
        ),
        pytest.param(
            "# Notes\n\nThe bridge is shut (https://a.example/1).\n\n## Results\n\nIt is old.\n", [], id="a title"
        ),
        pytest.param(
            "# 資料\n\n橋は閉じた。\n\n## 出典\n\n1. 港湾新聞 https://a.example/1\n", ["1"], id="a title and a list"
        ),
        pytest.param("# References\n\nPort News. A bridge (2020). https://a.example/1\n", [""], id="a list alone"),
    ],
)
def test_a_list_of_sources_is_known_by_its_form(text: str, keys: list[str]) -> None:
    """Exhibits, ordered lists and bullets; statements that end in an address are none."""
    assert [one.key for one in find_references(text)] == keys


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        pytest.param(EXHIBITS, [("乙2",)], id="exhibit"),
        pytest.param(EXHIBITS.replace("（乙2）", "（乙第2号証、3頁）"), [("乙2",)], id="exhibit with its page"),
        pytest.param(RAISED + ENTRIES, [("2",), ("1",)], id="superscript"),
        pytest.param(
            RAISED.replace("<sup>2</sup>", '<sup><a href="#s2">2</a></sup>') + ENTRIES, [("2",), ("1",)], id="linked"
        ),
    ],
)
def test_marks_name_entries_of_such_lists(text: str, cited: list[tuple[str, ...]]) -> None:
    """Every sentence has the key of its entry."""
    assert [mark.values for one in lay_out(text).sentences for mark in one.citations] == cited


def test_the_number_of_a_paragraph_is_no_word_of_its_sentence() -> None:
    """It counts nothing that a source could have."""
    text = "1　橋は閉じた。\n\n2. The bridge is shut.\n\n12 bridges are shut."

    assert [one.plain for one in lay_out(text).sentences] == [
        "橋は閉じた。",
        "The bridge is shut.",
        "12 bridges are shut.",
    ]


BODY = "The bridge is shut [1]. It is old [2].\n\n## References\n\n"


@pytest.mark.parametrize(
    ("entries", "keys"),
    [
        pytest.param(
            "- Port News. https://a.example/1\n\n- Mill Post. https://a.example/2\n", ["1", "2"], id="bullets"
        ),
        pytest.param("- Port News. https://a.example/1\n", [""], id="fewer than cited"),
    ],
)
def test_numbers_in_brackets_are_places_in_a_list_of_bullets(entries: str, keys: list[str]) -> None:
    """Where they go no further than the list."""
    assert [one.key for one in find_references(BODY + entries)] == keys


@pytest.mark.parametrize(
    ("entries", "texts"),
    [
        pytest.param(
            "Pell G, Wu A. A bridge: the trial. 2013.\nNobody N. Bridges that fly. J Never 2020;1:1-2.\n",
            ["Pell G, Wu A. A bridge: the trial. 2013.", "Nobody N. Bridges that fly. J Never 2020;1:1-2."],
            id="years",
        ),
        pytest.param(
            "Pell G. A bridge. https://a.example/1\nNobody, N. Bridges that fly.\n",
            ["Pell G. A bridge. https://a.example/1", "Nobody, N. Bridges that fly."],
            id="a name without a year",
        ),
        pytest.param(
            "山田「橋」2020年。\n鈴木「道」2021年。\n", ["山田「橋」2020年。", "鈴木「道」2021年。"], id="Japanese"
        ),
        pytest.param(
            "Pell G. A bridge over all of the bay, and\nThe Trial of 2013.\nhttps://a.example/1\n",
            ["Pell G. A bridge over all of the bay, and\nThe Trial of 2013.\nhttps://a.example/1"],
            id="wrapped",
        ),
    ],
)
def test_entries_without_a_sign_may_stand_one_a_line(entries: str, texts: list[str]) -> None:
    """A line below a whole entry is the next one; the wrapped line of an entry is a part of it."""
    assert [one.text for one in find_references(f"The bridge is shut.\n\n## References\n\n{entries}")] == texts
