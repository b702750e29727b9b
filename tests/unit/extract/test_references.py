"""Links in lists of references."""

import pytest

from lyra.extract.html import read_html

PARAGRAPH = (
    "<p>移住支援金を設けた自治体では、人口が3割も増えています。この結果は、くらし政策マガジンの調査でも"
    "裏づけられています。申請の手続きが簡単な自治体ほど、移住する人が多いという声もあります。</p>"
)
LIST = '<ol><li><a href="https://magazine.example/column">人口が増えた町に学ぶ</a></li></ol>'


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(f'<section class="references"><h2>あとがき</h2>{LIST}</section>', id="marked by its class"),
        pytest.param(f"<h2>参考文献</h2>{LIST}", id="under a Japanese heading"),
        pytest.param(f"<h3>References</h3>{LIST}", id="under an English heading"),
    ],
)
def test_references_are_links_of_the_page_and_no_part_of_its_text(section: str) -> None:
    """A list of references says what a page rests on, whether or not it is read as text."""
    document = read_html(f"<html><body><article>{PARAGRAPH}{section}</article></body></html>", "https://a.example/1")

    assert document.links == ("https://magazine.example/column",)


def test_links_after_the_references_are_none() -> None:
    """The list ends where the next heading of its rank begins."""
    markup = f'<h2>References</h2>{LIST}<h2>Shop</h2><ul><li><a href="https://shop.example/">Buy</a></li></ul>'

    document = read_html(f"<html><body><article>{PARAGRAPH}{markup}</article></body></html>", "https://a.example/1")

    assert document.links == ("https://magazine.example/column",)
