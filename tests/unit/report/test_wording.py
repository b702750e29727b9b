"""Words of others in a report: on one line, cut between words."""

import pytest

from lyra.report.wording import foreign


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It fell by a third.", "It fell by a third."),
        ("It fell by a third within twelve months.", "It fell by a third…"),
        ("Pneumonoultramicroscopicsilicovolcanoconiosis", "Pneumonoultramicrosc…"),
        ("肺炎球菌ワクチンの接種率は前年度より三ポイント上がった。", "肺炎球菌ワクチンの接種率は前年度より三ポ…"),
    ],
)
def test_text_is_cut_between_words(text: str, expected: str) -> None:
    """A word that fills the room alone, and Japanese, are cut where the room ends."""
    assert foreign(text, 21).text == expected
