"""A page of HTML as Markdown: what a draft shows to its reader is still there to be checked."""

import pytest

from lyra.extract.html_markdown import html_markdown


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>It fell.<sup>3</sup> Then</p>", "It fell.³ Then"),
        ("<p>増えました<sup>12</sup>。</p>", "増えました¹²。"),
        ("<p>It fell. <sup>3</sup></p>", "It fell.³"),
        ("<p>It fell.<sup>1, 3–5</sup></p>", "It fell.¹,³⁻⁵"),
        ("<p>It fell.<sup>(2)</sup></p>", "It fell.⁽²⁾"),
        ("<p>It fell.<sup>[2]</sup></p>", "It fell.[2]"),
        ("<p>120 m<sup>2</sup> and 10<sup>6</sup></p>", "120 m² and 10⁶"),
        ("<p>The 19<sup>th</sup> century</p>", "The 19th century"),
        ('<p>It fell.<sup><a href="https://a.example/">4</a></sup></p>', "It fell.[4](https://a.example/)"),
        ('<p>It fell. <sup><a href="#n1">1</a></sup></p><p id="n1">Source.</p>', "It fell.[^n1]\n\n[^n1]: Source."),
        ('<p>It fell.<sup><a href="#gone">3</a></sup></p>', "It fell.³"),
        ('<ul><li><a href="#n1">1</a> a</li></ul><p id="n1">b</p>', "- [^n1] a\n\n[^n1]: b"),
    ],
    ids="number japanese blank several brackets square power ordinal link note dead item".split(),
)
def test_superscripts(markup: str, expected: str) -> None:
    """Numbers of notes and powers stay raised; words and links stay what they are."""
    assert html_markdown(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ('<ol start="7"><li>a</li><li>b</li></ol>', "7. a\n8. b"),
        ('<ol><li>a</li><li value="5">b</li><li>c</li></ol>', "1. a\n5. b\n6. c"),
        ("<ol reversed><li>a</li><li>b</li></ol>", "2. a\n1. b"),
        ("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\n\n- b\n\n2. c"),
        ('<ol start="x"><li>a</li></ol>', "1. a"),
        ("<ul><li>a</li></ul>", "- a"),
    ],
    ids="plain start value reversed nested broken bullets".split(),
)
def test_items_of_lists(markup: str, expected: str) -> None:
    """An item of an ordered list has the number that a browser shows, by which marks call it."""
    assert html_markdown(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>[1] Port News.<br> [2] Mill Post.</p>", "[1] Port News.\n[2] Mill Post."),
        ("<div>[1] Port News.<br/>\n[2] Mill Post.</div>", "[1] Port News.\n[2] Mill Post."),
        ("<p>It fell.<br><br>It rose.</p>", "It fell.\n\nIt rose."),
        ("<table><tr><td>a<br>b</td></tr></table>", "| a b |"),
        ("<h2>A<br>title</h2>", "## A title"),
        ("<blockquote>Said<br>so.</blockquote>", "> Said so."),
        ('<p><a href="https://a.example/">a<br>b</a></p>', "[a b](https://a.example/)"),
    ],
    ids="paragraph division two cell heading quotation link".split(),
)
def test_broken_lines(markup: str, expected: str) -> None:
    """An entry of a list of references may begin where a line is broken; what is one line of Markdown stays one."""
    assert html_markdown(markup) == expected
