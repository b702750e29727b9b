"""Links between pages of the documentation, in both languages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "README.ja.md", *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_link_to_pages_that_exist(page: Path) -> None:
    """No link of a page leads to a file that is not there."""
    named = LINK.findall(CODE.sub("", page.read_text("utf-8")))

    assert [name for name in named if not (page.parent / name).exists()] == []


def test_every_japanese_page_has_its_english_one() -> None:
    """The Japanese page lies at the same place below docs/ja and links back."""
    pages = [path.relative_to(ROOT / "docs" / "ja") for path in sorted(ROOT.glob("docs/ja/**/*.md"))]

    assert [page for page in pages if not (ROOT / "docs" / page).exists()] == []
