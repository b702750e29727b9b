"""What the model reads of a text for a claim."""

import pytest

from lyra.claims.subjects import NamedSite
from lyra.claims.windows import Excerpt, Setting, Window, first_sentences, header_row, last_sentence, windows_for
from lyra.claims.words import content_words
from lyra.model.edge import JudgedPart, JudgedText, PartRole

CLAIM = "Once a day saxagliptin is taken."
KEY = "Saxagliptin is taken once a day with water."
LONG = f"The trial enrolled 16,492 patients. {KEY} Most were older than 60 years."
PREMISE = "The risk rose by 27 percent."
RISES = "The drug raises the risk."


def read(premise: str, claim: str, setting: Setting | None = None) -> Window:
    (window,) = windows_for(premise, claim, content_words, setting or Setting())
    return window


def best(premise: str, claim: str) -> str:
    window = read(premise, claim)
    return premise[slice(*window.spans[window.best])]


@pytest.mark.parametrize(
    ("setting", "before"),
    [
        pytest.param(Setting(), "", id="none"),
        pytest.param(Setting("Heart  failure\n and gliptins."), "Heart failure and gliptins. ", id="on one line"),
        pytest.param(Setting("心不全のリスク。"), "心不全のリスク。", id="Japanese"),
        pytest.param(Setting("x" * 130), "x" * 120 + ". ", id="a long title is cut"),
        pytest.param(Setting("The risk rose"), "", id="the text opens with the title"),
        pytest.param(Setting("Gliptins", "Results"), "Gliptins. Results. ", id="a heading"),
        pytest.param(Setting("", "y" * 70), "y" * 60 + ". ", id="a long heading is cut"),
        pytest.param(Setting("Results of the trial", "Results"), "Results of the trial. ", id="said by the title"),
    ],
)
def test_title_and_heading_are_read_before_the_text(setting: Setting, before: str) -> None:
    """As sentences of their own; the place in the text is the sentence's alone."""
    window = read(PREMISE, RISES, setting)

    assert (window.text, window.spans) == (before + PREMISE, ((0, len(PREMISE)),))


def test_a_heading_without_kana_on_a_japanese_page_ends_as_japanese_does() -> None:
    """A full stop between kanji would be read as part of a number or a name."""
    assert read("出生数は変わらない。", "出生数は増えた。", Setting("監査結果", "湖沼保全課")).text == (
        "監査結果。湖沼保全課。出生数は変わらない。"
    )


@pytest.mark.parametrize(
    ("premise", "before", "expected"),
    [
        pytest.param("It fell by half.", "Absence was counted.", "Absence was counted. It fell by half.", id="pronoun"),
        pytest.param("Absence fell by half.", "Nurses wore the band.", "Absence fell by half.", id="needs none"),
        pytest.param(
            "昨年より減りました。",
            "苦情の件数を調べました。",
            "苦情の件数を調べました。昨年より減りました。",
            id="dropped subject",
        ),
        pytest.param("It fell by half.", "x " * 200, "It fell by half.", id="an endless one is left out"),
    ],
)
def test_a_sentence_that_hangs_on_the_one_before_is_read_with_it(premise: str, before: str, expected: str) -> None:
    """A pronoun or a dropped Japanese subject says nothing alone; the sentence before has its own place."""
    window = read(premise, "Absence fell.", Setting(before=Excerpt("f_before", 7, before)))

    assert window.text == expected


def test_the_sentence_before_keeps_its_own_place() -> None:
    """It stands in another fragment, and is no part of the quote."""
    window = read("It fell.", "Absence fell.", Setting(before=Excerpt("f_before", 7, "Absence was counted.")))

    assert window.judged({0}) == JudgedText(
        "Absence was counted. It fell.",
        (JudgedPart(PartRole.BEFORE, 0, 20, 7, 27, "f_before"), JudgedPart(PartRole.DECIDING, 21, 29, 0, 8)),
    )


@pytest.mark.parametrize(
    ("premise", "expected"),
    [
        pytest.param(LONG, KEY, id="the sentence with the claim's words"),
        pytest.param("No words. None here.", "No words.", id="the first where none has any"),
        pytest.param(KEY, KEY, id="one sentence"),
        pytest.param(
            "試験には患者が参加した。サキサグリプチンは一日一回飲む。",
            "試験には患者が参加した。",
            id="Japanese against English",
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_most_relevant_sentence(premise: str, expected: str) -> None:
    """Shared words tell it; ties go to the first."""
    assert best(premise, CLAIM) == expected


def test_the_most_relevant_sentence_tells_what_came_of_it() -> None:
    """The method shares more words with the claim; the finding has its effect and its unit."""
    claim = "A misalignment of five millimetres lowers the efficiency of an ALP-2 charger to about two thirds."
    finding = "An offset of 5 mm reduced the efficiency to 65.8%."

    assert best(f"We measured the efficiency of twelve ALP-2 chargers. {finding}", claim) == finding


BEFORE, AFTER = "Patients were seen every month. " * 40, " Patients were weighed every month." * 40


@pytest.mark.parametrize(
    ("premise", "start", "end", "chars"),
    [
        pytest.param(LONG, "The trial enrolled", "60 years.", 110, id="one that fits is read whole"),
        pytest.param(f"{KEY}{AFTER}", KEY, "every month.", 778, id="what follows the sentence"),
        pytest.param(f"{BEFORE}{KEY}", "Patients", KEY, 811, id="at the end, what stands before it"),
        pytest.param(
            f"{BEFORE}{KEY}{AFTER}",
            "Patients were seen",
            "weighed every month.",
            810,
            id="in the middle, what follows first",
        ),
        pytest.param("あ" * 2000, "ああ", "ああ", 2000, id="one endless sentence is left to the model's cut"),
    ],
)
def test_a_long_text_is_read_around_its_most_relevant_sentence(premise: str, start: str, end: str, chars: int) -> None:
    """Whole sentences, never beyond what the model can take beside the claim."""
    text = read(premise, CLAIM).text

    assert (text.startswith(start), text.endswith(end), len(text)) == (True, True, chars)


def test_japanese_holds_fewer_characters() -> None:
    """A Japanese token is about a character and a half: 19 sentences of 16 characters fit, not 40."""
    premise = "市は毎年この制度を見直している。" * 40

    assert len(read(premise, "市は制度を見直している。").text) == 304


def test_further_windows_hold_what_the_first_left_out() -> None:
    """Together they hold the whole text, no sentence twice."""
    premise = f"{BEFORE}{KEY}"

    windows = windows_for(premise, CLAIM, content_words, Setting(), most=3)

    assert sorted(span for window in windows for span in window.spans) == [
        *((at * 32, at * 32 + 31) for at in range(40)),
        (1280, 1280 + len(KEY)),
    ]


TABLE = "Lake | Fish | 2020 | 2024\n\nTademi | Smelt | 62 | 58\n\nShimo | Smelt | 18 | 37"


def test_a_row_is_read_with_the_names_of_its_columns() -> None:
    """The row that shares most words with the claim; the quote is the row, the names are read beside it."""
    window = read(TABLE, "Catches of smelt in lake Tademi doubled.", Setting("Catches", is_table=True))

    assert window.text == "Catches. Lake: Tademi, Fish: Smelt, 2020: 62, 2024: 58."
    assert TABLE[slice(*window.quote_span({0}))] == "Tademi | Smelt | 62 | 58"
    names = [part for part in window.judged({0}).parts if part.role is PartRole.HEADER]
    assert [TABLE[one.fragment_start : one.fragment_end] for one in names] == ["Lake", "Fish", "2020", "2024"]


def test_the_rows_of_a_later_fragment_are_read_with_the_names_from_the_first() -> None:
    """A long table fills several fragments; the names keep their own place."""
    header = header_row("f_first", TABLE)
    window = read("Ohno | Smelt | 5 | 6", "Smelt in lake Ohno.", Setting(header=header, is_table=True))

    assert window.text == "Lake: Ohno, Fish: Smelt, 2020: 5, 2024: 6."
    assert window.judged({0}).parts[0] == JudgedPart(PartRole.HEADER, 0, 4, 0, 4, "f_first")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param("Price | 300 yen\n\nWeight | 20 g", "Weight | 20 g", id="no names"),
        pytest.param(
            "Item | Budget | Note\n\nWeight | 20 g", "Item | Budget | Note | Weight | 20 g", id="an empty cell"
        ),
    ],
)
def test_a_row_that_does_not_match_the_names_is_read_as_it_stands(table: str, expected: str) -> None:
    """Which column an amount belongs to is not guessed."""
    assert read(table, "Its weight is 20 g.", Setting(is_table=True)).text == expected


def test_the_last_sentence_of_a_fragment() -> None:
    """With its place, to be read before the next one."""
    assert last_sentence("f_1", "One is so. Two is not.") == Excerpt("f_1", 11, "Two is not.")
    assert last_sentence("f_1", "") is None


SITE = NamedSite("talk.example", "Talk Hexley")
BEGINNING = Excerpt("f_0", 0, "We asked 90 tenants.")


def test_what_the_page_says_first_is_told_before_all_else() -> None:
    """The name of the site and the beginning, each in its role; a mark parts them from the text."""
    judged = read(PREMISE, RISES, Setting("Survey", site=SITE, beginning=BEGINNING)).judged({0})

    assert judged.text == f"Talk Hexley. We asked 90 tenants.\u2029Survey. {PREMISE}"
    assert [(one.role, judged.text[one.start : one.end], one.fragment_id) for one in judged.parts] == [
        (PartRole.SITE, "Talk Hexley", None),
        (PartRole.BEGINNING, "We asked 90 tenants.", "f_0"),
        (PartRole.TITLE, "Survey", None),
        (PartRole.DECIDING, PREMISE, None),
    ]


def test_who_was_not_told_of_the_page_read_the_rest() -> None:
    """What is kept of a judgement by another reader is what that one was given."""
    window = read(PREMISE, RISES, Setting("Survey", site=SITE, beginning=BEGINNING))

    judged = window.judged({0}, is_page_told=False)

    assert judged.text == window.own_text == f"Survey. {PREMISE}"


def test_a_row_is_told_of_its_page_too() -> None:
    """Before the title, as prose is."""
    table = "Group | Patients\n\nOlder | 412"

    window = read(table, RISES, Setting("Trial", is_table=True, site=SITE))

    assert window.text == "Talk Hexley. \u2029Trial. Group: Older, Patients: 412."


def test_a_page_that_writes_the_mark_itself_hides_nothing() -> None:
    """The first mark is always ours."""
    assert read("One.\u2029Two.", RISES).own_text == "One.\u2029Two."


def test_a_beginning_that_holds_the_mark_is_not_told() -> None:
    """Who is not told of the page would read its end as the text."""
    window = read(PREMISE, RISES, Setting(site=SITE, beginning=Excerpt("f_0", 0, "One.\u2029Two.")))

    assert (window.text, window.own_text) == (f"Talk Hexley. \u2029{PREMISE}", PREMISE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("We asked 90 tenants. They said no.", "We asked 90 tenants. They said no.", id="all of it"),
        pytest.param("It rained. B" + "b" * 400 + ".", "It rained.", id="whole sentences that have room"),
        pytest.param("b" * 400 + ".", None, id="an endless one would be cut"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_beginning_of_a_page_is_told_in_whole_sentences(text: str, told: str | None) -> None:
    """A cut one may say the opposite."""
    found = first_sentences("f_0", text)

    assert found == (None if told is None else Excerpt("f_0", 0, told))
