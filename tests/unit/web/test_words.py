"""The dashboard's sentences: every one of them is in the Japanese catalogue, and language and colours are chosen."""

import ast
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

import lyra
from lyra.translate import Language, in_language, say
from lyra.web.preferences import chosen_language, chosen_theme
from lyra.web.words import plural

_CALLS = ("say", "plural")


def _sentences() -> Iterator[str]:
    """What templates and code of the dashboard say."""
    for template in files("lyra.web").joinpath("templates").iterdir():
        for call in Environment(autoescape=True).parse(template.read_text("utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name in _CALLS:
                yield from (one.value for one in call.args if isinstance(one, nodes.Const))
    root = Path(lyra.__file__).parent
    for file in (*(root / "web").rglob("*.py"), root / "cli" / "ui.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "say":
                yield from (str(one.value) for one in call.args if isinstance(one, ast.Constant))


def test_no_sentence_is_missing_in_japanese() -> None:
    """Of more than two hundred."""
    said = set(_sentences())

    with in_language("ja"):
        missing = sorted(one for one in said if say(one) == one)

    assert (len(said) > 200, missing) == (True, [])


@pytest.mark.parametrize(
    ("cookie", "accepted", "expected"),
    [
        (None, "", "en"),
        (None, "ja", "ja"),
        (None, "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        (None, "en-US,en;q=0.9,ja;q=0.1", "en"),
        (None, "de,fr;q=0.9,ja;q=0.8,en;q=0.7", "ja"),
        (None, "en;q=0,ja;q=0.1", "ja"),
        (None, "en;q=x, JA ;q=0.5", "ja"),
        (None, "de", "en"),
        ("ja", "en", "ja"),
        ("xx", "ja", "ja"),
        ("<script>", ",;q=,,", "en"),
    ],
)
def test_language_of_a_reader(cookie: str | None, accepted: str, expected: Language) -> None:
    """The choice on the page, then the browser's list by weight, then English."""
    assert chosen_language(cookie, accepted) == expected


@pytest.mark.parametrize(("cookie", "expected"), [(None, "auto"), ("dark", "dark"), ("light", "light"), ("x", "auto")])
def test_colours_of_a_reader(cookie: str | None, expected: str) -> None:
    """What is no choice follows the system."""
    assert chosen_theme(cookie) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", ["0 pages", "1 page", "1,200 pages"]), ("ja", ["0 ページ", "1 ページ", "1,200 ページ"])],
)
def test_numbers_of_things(language: Language, expected: list[str]) -> None:
    """One thing has a sentence of its own."""
    with in_language(language):
        told = [plural(count, "1 page", "{count} pages") for count in (0, 1, 1200)]

    assert told == expected
