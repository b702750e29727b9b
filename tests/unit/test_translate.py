"""Sentences in the language of the user: by name, by locale, and from what was filled in before."""

import pytest

from lyra.errors import InvalidParams
from lyra.translate import in_language, language, preferred_language, say, translate


def test_english_is_said_as_it_is_written() -> None:
    """Without a language chosen, a sentence is only filled in."""
    assert say("Lyra has no messages in {name}.", name="'xx'") == "Lyra has no messages in 'xx'."


def test_sentence_is_filled_in_in_japanese() -> None:
    """The catalogue's sentence has the same names; the language of before is back after the block."""
    with in_language("ja"):
        told = say("Lyra has no messages in {name}.", name="'xx'")

    assert told == "Lyra には 'xx' のメッセージがありません。"
    assert language() == "en"


def test_filled_in_sentence_is_recognised() -> None:
    """The message of an error is translated without its parts."""
    with in_language("ja"):
        told = translate("Lyra has no messages in '{x}.'.")

    assert told == "Lyra には '{x}.' のメッセージがありません。"


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        pytest.param(
            "The backup cannot be used: a.csv in it is damaged. Nothing was changed.",
            "このバックアップは使えません: 中の a.csv が壊れています。何も変更していません。",
            id="a sentence within a sentence",
        ),
        pytest.param(
            'task_1 created. Next: lyra search task_1 "your query"',
            'task_1 を作成しました。次は: lyra search task_1 "検索したい言葉"',
            id="a name that occurs twice",
        ),
        pytest.param(
            'task_1 created. Next: lyra search task_2 "your query"',
            'task_1 created. Next: lyra search task_2 "your query"',
            id="a name that stands for two texts",
        ),
        pytest.param(
            "all 5 results were worked through: 3 read, 2 failed",
            "5 件の結果をすべて処理しました（読了 3 件、失敗 2 件）",
            id="a list of parts",
        ),
        pytest.param("What nobody has read", "What nobody has read", id="a count is a number"),
        pytest.param("The prompt says {nothing}.", "The prompt says {nothing}.", id="braces of foreign text"),
        pytest.param("a: ECE b", "a: ECE b", id="more foreign than own words"),
    ],
)
def test_what_was_filled_in_is_told_apart(english: str, japanese: str) -> None:
    """Parts are translated where they are sentences too; nothing is taken for a sentence that it is not."""
    with in_language("ja"):
        told = translate(english)

    assert told == japanese


def test_unknown_sentence_stays_english() -> None:
    """Nothing is invented for what the catalogue does not have."""
    with in_language("ja"):
        told = translate("Nobody has translated this.")

    assert told == "Nobody has translated this."


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja_JP.eucJP", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP"}, "ja"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LYRA_LANG": "ja"}, "ja"),
        ({"LC_ALL": "", "LANG": "ja"}, "ja"),
    ],
)
def test_locale_decides_where_nothing_is_asked_for(environment: dict[str, str], expected: str) -> None:
    """The first variable that is set decides; a language without a catalogue means English."""
    assert preferred_language(None, environment) == expected


def test_language_that_was_asked_for_goes_before_the_locale() -> None:
    """`--lang en` in a Japanese terminal is English."""
    assert preferred_language("en", {"LANG": "ja_JP.UTF-8"}) == "en"


def test_language_without_catalogue_is_refused() -> None:
    """A name that was asked for is never replaced silently."""
    with pytest.raises(InvalidParams) as caught:
        preferred_language("xx", {})

    assert (caught.value.message, caught.value.remedy) == ("Lyra has no messages in 'xx'.", "Use en or ja.")
