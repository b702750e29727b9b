"""Captions of numbered figures and tables: part of what a report says, though extractors drop what surrounds them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lyra.extract.passages import Block, on_one_line
from lyra.extract.tree import text_of
from lyra.model.page import FragmentType
from lyra.word_lists import word_lists

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_SHORTEST, _LONGEST, _MOST = 20, 3_000, 200


def keep_captions(tree: "HtmlElement") -> frozenset[str]:
    """Set each caption as a paragraph of its own beside its figure or table; returns their words."""
    found: set[str] = set()
    # A numbered one is referred to from the text; the words under a photograph are not evidence of anything.
    label = word_lists("lyra.extract", "page_parts", "en", "ja").pattern("caption")
    for caption in list(tree.iter("figcaption", "caption"))[:_MOST]:
        text = on_one_line(text_of(caption, " "))
        owner = next(caption.iterancestors("figure", "table"), None)
        if owner is None or not _SHORTEST <= len(text) <= _LONGEST or not label.match(text):
            continue
        paragraph = caption.makeelement("p")
        paragraph.text = text
        caption.drop_tree()
        owner.addprevious(paragraph)
        found.add(text)
    return frozenset(found)


def mark_captions(blocks: Sequence[Block], captions: frozenset[str]) -> list[Block]:
    """The blocks, with those that are captions called so."""
    return [replace(block, type=FragmentType.FIGURE) if block.text in captions else block for block in blocks]
