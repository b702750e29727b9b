"""Lines of Japanese are broken between characters, as readers of Japanese expect."""

import pytest
from rich import _wrap
from rich.console import Console
from rich.text import Text

from lyra.cli.lines import break_between_characters


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("AI クライアント", ["AI クラ", "イアント"], id="beside a word of Latin letters"),
        pytest.param("調べます。次", ["調べま", "す。次"], id="no full stop at the start of a line"),
        pytest.param("一語（二）", ["一語", "（二）"], id="no opening bracket at the end of a line"),
        pytest.param("plain words here", ["plain", "words", "here"], id="English as before"),
    ],
)
def test_lines_are_broken_between_characters(text: str, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A mark stays with its character, a Latin word stays whole."""
    monkeypatch.setattr(_wrap, "re_word", _wrap.re_word)  # restored after the test

    break_between_characters()
    wrapped = Text(text).wrap(Console(width=80), 8)

    assert [str(line).rstrip() for line in wrapped] == lines
