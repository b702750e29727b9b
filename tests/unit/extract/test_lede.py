"""The paragraph between headline and body is recovered."""

import pytest

from lyra.extract.blocks import Block
from lyra.extract.html_parts import find_lede
from lyra.extract.tree import parse

_BODY = "The trial ran for two years in forty centres and enrolled 14,671 adults with established disease."
_LEDE = "A large trial finds no rise in heart failure with sitagliptin, easing a long-standing worry."


def _ledes(between: str, heading: str = "<h1>Heart safety</h1>", description: str = "") -> list[Block]:
    tree = parse(f"<body>{heading}{between}<div class='content'><p>{_BODY}</p></div></body>")
    assert tree is not None
    return find_lede(tree, [Block(_BODY)], title="Heart safety", description=description)


def test_a_sentence_under_the_headline_is_the_lede() -> None:
    """News sites put it outside the body's container, and it often states the main claim."""
    assert _ledes(f"<p>{_LEDE}</p>") == [Block(_LEDE)]


def test_the_lede_is_known_by_its_class_where_no_full_stop_ends_it() -> None:
    """Standfirsts are written like headlines."""
    assert _ledes(f'<div class="article-lead">{_LEDE.rstrip(".")}</div>') == [Block(_LEDE.rstrip("."))]


def test_the_lede_is_known_by_the_description() -> None:
    """What the page calls its description is its summary."""
    bare = _LEDE.rstrip(".")

    assert _ledes(f"<div>{bare}</div>", description=_LEDE) == [Block(bare)]


def test_a_lower_heading_that_repeats_the_title_counts_as_headline() -> None:
    """Some sites use h1 for their logo only, or not at all."""
    assert _ledes(f"<p>{_LEDE}</p>", heading="<h2>Heart Safety</h2>") == [Block(_LEDE)]


@pytest.mark.parametrize(
    "between",
    [
        f"<nav><p>{_LEDE}</p></nav>",
        f'<div class="newsletter-promo"><p>{_LEDE}</p></div>',
        f"<figure><figcaption>{_LEDE}</figcaption></figure>",
        f'<p><a href="/other">{_LEDE}</a></p>',
        "<p>Sign up for our newsletter to get the latest news in your inbox.</p>",
        "<p>By Jane Doe</p>",
        f"<p>{_BODY}</p>",
    ],
    ids=["navigation", "promotion", "caption", "link", "invitation", "byline", "already read"],
)
def test_what_is_not_the_lede(between: str) -> None:
    """Page furniture stands in the same place."""
    assert _ledes(between) == []


def test_without_a_headline_nothing_is_added() -> None:
    """Text above the body may be anything."""
    assert _ledes(f"<p>{_LEDE}</p>", heading="") == []
