"""A page's markup in one linear pass."""

from lyra.fetch.markup import Outline, Tag, outline


def test_outline_parts_words_scripts_and_tags() -> None:
    """Visible words, title and scripts are told apart; entities are read, names are lower-case."""
    page = b"<TITLE>Heart &amp; Sugar</TITLE><Form ID='f' data-x=1>Risk <b>rises</b><script>var a = 1;</SCRIPT></form>"

    assert outline(page) == Outline(
        title="heart & sugar",
        text="risk rises",
        scripts="var a = 1;",
        tags=(Tag("title", {}), Tag("form", {"id": "f", "data-x": "1"}), Tag("b", {}), Tag("script", {})),
    )


def test_japanese_page_is_read_by_its_declared_character_set() -> None:
    """A challenge in Shift_JIS is still readable."""
    page = '<meta charset="Shift_JIS"><p>人間であることを確認します</p>'.encode("shift_jis")

    assert outline(page).text == "人間であることを確認します"


def test_unclosed_script_hides_the_rest() -> None:
    """What follows an unclosed script is script, as a browser reads it."""
    assert outline(b"<p>seen</p><script>var x; <p>unseen</p>").text == "seen"


def test_unknown_character_set_is_survived() -> None:
    """A made-up charset name and stray bytes give characters, not an error."""
    assert outline(b'<meta charset="nonsense-1">\xff\xfe').text == "ÿþ"
