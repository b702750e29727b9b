"""Plain text and Markdown become blocks without their marks."""

import pytest

from lyra.extract.blocks import Block
from lyra.extract.plain import front_matter, markdown_blocks, text_blocks
from lyra.model.page import FragmentType

_HEADING, _LIST, _TABLE = FragmentType.HEADING, FragmentType.LIST, FragmentType.TABLE


def test_empty_lines_part_paragraphs_of_plain_text() -> None:
    """Line ends inside a paragraph stay, whatever system wrote them."""
    assert text_blocks("HbA1c fell\r\nby 0.7.\r\n \r\n\r\n低血糖は稀であった。\n") == [
        Block("HbA1c fell\nby 0.7."),
        Block("低血糖は稀であった。"),
    ]


def test_markdown_is_read_by_its_structure() -> None:
    """Notes in a user's library are cited by heading and paragraph like any page."""
    text = """---
title: "Notes"
---
# DPP-4 阻害薬

Lowers **HbA1c** by 0.7
([Tanaka 2021](https://example.org/a_(b))).

## Safety
- No weight gain
- Rare `pancreatitis`
  in trials

> Long-term data
> are missing.

| Drug | n |
|------|---|
| sitagliptin | 120 |

```python
x = 1

y = 2
```
Setext
------
Last.
"""

    blocks = markdown_blocks(text)

    assert blocks == [
        Block("DPP-4 阻害薬", _HEADING, 1),
        Block("Lowers HbA1c by 0.7 (Tanaka 2021)."),
        Block("Safety", _HEADING, 2),
        Block("No weight gain", _LIST),
        Block("Rare pancreatitis in trials", _LIST),
        Block("Long-term data are missing.", FragmentType.QUOTE),
        Block("Drug | n", _TABLE),
        Block("sitagliptin | 120", _TABLE),
        Block("x = 1\n\ny = 2", FragmentType.CODE),
        Block("Setext", _HEADING, 2),
        Block("Last."),
    ]


def test_an_unclosed_code_fence_runs_to_the_end() -> None:
    """A truncated file keeps what it has."""
    assert markdown_blocks("```\nx = 1") == [Block("x = 1", FragmentType.CODE)]


def test_front_matter_gives_simple_pairs() -> None:
    """Title, date and author of a note stand in its YAML head."""
    assert front_matter("---\ntitle: 'A: b'\nDate: 2024-03-05\n---\ntext") == {"title": "A: b", "date": "2024-03-05"}


@pytest.mark.parametrize("text", ["*" * 200_000, "[" * 200_000, "- a\n" * 200_000, "`" * 100_001 + "a"])
@pytest.mark.timeout(20)
def test_hostile_markdown_ends(text: str) -> None:
    """Patterns with backtracking would hang here; the number of blocks is bounded."""
    assert len(markdown_blocks(text)) <= 50_000


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("# A" + " " * 200_000 + "b", Block("A b", _HEADING, 1), id="heading-with-spaces"),
        pytest.param("# A " + "#" * 200_000, Block("A", _HEADING, 1), id="heading-with-marks"),
        pytest.param("#" + " " * 200_000 + "b", Block("b", _HEADING, 1), id="heading-after-spaces"),
        pytest.param(" " * 200_000 + "b", Block("b"), id="spaces-that-rule-no-table"),
    ],
)
def test_endless_lines_are_read_in_linear_time(line: str, expected: Block) -> None:
    """A line is tried as heading, rule and table; none may look at each space anew."""
    assert markdown_blocks(line) == [expected]
