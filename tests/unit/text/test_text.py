"""Words, sentences and language of English and Japanese text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.text import (
    is_japanese,
    language_of,
    located_tokens,
    nfkc,
    normalise,
    preview,
    sentences,
    shingles,
    strip_control_chars,
    tokens,
    without_citation_marks,
)

ENGLISH = "DPP-4 inhibitors lower HbA1c by 0.5 to 0.8 percentage points compared with placebo."
JAPANESE = "DPP-4阻害薬は、HbA1cを0.5～0.8ポイント程度低下させます。"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (JAPANESE, "ja"),
        ("類天疱瘡のリスク", "ja"),
        ("二型糖尿病的治疗", "zh"),
        ("Les inhibiteurs de la DPP-4 réduisent l'hémoglobine glyquée chez les patients.", "fr"),
        ("Die Wirkung der Gliptine auf das Herz ist in mehreren Studien untersucht worden.", "de"),
        ("0.5 – 0.8 % (95)", "und"),
        ("", "und"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    """By script where it decides, else statistically; without letters nobody knows."""
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "japanese"),
    [
        (JAPANESE, True),
        (ENGLISH, False),
        ("HbA1cの低下について", True),
        ("日本語 word word word word word", False),
        ("あいabcd", True),
        ("あいabcde", False),
        ("", False),
    ],
)
def test_japanese_needs_kana_and_a_third_of_the_letters(text: str, japanese: bool) -> None:
    """A Latin abbreviation does not make a Japanese sentence foreign, a Japanese word not an English one Japanese."""
    assert is_japanese(text) is japanese


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("ＤＰＰ－４\u3000阻害薬", "DPP-4 阻害薬"),
        ("a\u00a0b\t\tc\r\nd", "a b c d"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("bell\x07 and escape\x1b[0m", "bell and escape[0m"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("ﬁbre ㎎", "fibre mg"),
    ],
)
def test_normal_form(text: str, clean: str) -> None:
    """NFKC, one space, nothing invisible or unencodable."""
    assert normalise(text) == clean


@given(st.text(max_size=200))
def test_the_normal_form_is_its_own_and_can_be_stored(text: str) -> None:
    """Doing it again changes nothing, and UTF-8 can hold it."""
    clean = normalise(text)

    assert normalise(clean) == clean
    assert clean.encode("utf-8").decode() == clean


def test_english_words() -> None:
    """Small letters; hyphens, points and apostrophes inside a word stay."""
    assert tokens("DPP-4 inhibitors don't raise HbA1c (v2.1) [x_y]") == [
        "dpp-4",
        "inhibitors",
        "don't",
        "raise",
        "hba1c",
        "v2.1",
        "x",
        "y",
    ]


def test_japanese_words_are_split_without_particles() -> None:
    """Sudachi's shortest units in normal form, Latin runs as they are."""
    assert tokens("類天疱瘡のリスクはDPP-4阻害薬で高い") == ["類天疱瘡", "リスク", "dpp-4", "阻害", "薬", "高い"]


def test_words_know_where_they_stand() -> None:
    """The place in the text, for highlighting and the full-text index."""
    text = "服用 saxagliptin"

    assert [(text[start:end], word) for start, end, word in located_tokens(text)] == [
        ("服用", "服用"),
        ("saxagliptin", "saxagliptin"),
    ]


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=120))
def test_the_quick_way_for_ascii_gives_the_same_words(text: str) -> None:
    """A shortcut must not change what is found."""
    assert tokens(text) == [word for _, _, word in located_tokens(text)]


def test_a_page_of_japanese_without_a_break_is_no_trouble() -> None:
    """Sudachi refuses more than 48 KB at once; a run may be longer."""
    found = tokens("糖尿病" * 20_000)

    assert len(found) >= 20_000


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It works. It is safe!", ["It works.", "It is safe!"]),
        (
            "Dr. Smith et al. found 0.5 mg vs. placebo. Nobody died.",
            ["Dr. Smith et al. found 0.5 mg vs. placebo.", "Nobody died."],
        ),
        ("In the U.S. it is sold. Elsewhere not.", ["In the U.S. it is sold.", "Elsewhere not."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("低下した。有意差はなかった！本当か？", ["低下した。", "有意差はなかった！", "本当か？"]),
        ("「安全です。」と述べた。", ["「安全です。」", "と述べた。"]),
        ("A heading\n\nA paragraph", ["A heading", "A paragraph"]),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    """English and Japanese ends; abbreviations and decimals end nothing."""
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(st.text(alphabet="aB.!? \n。「」あ", max_size=80))
def test_sentences_lose_no_word_and_do_not_overlap(text: str) -> None:
    """Every character that is not white space lies in exactly one sentence."""
    spans = sentences(text)

    inside = "".join(text[start:end] for start, end in spans)
    assert "".join(inside.split()) == "".join(text.split())
    assert spans == sorted(spans)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It rose [3].", "It rose."),
        ("It rose [3, 4][5–7] twice.", "It rose twice."),
        ("An array [x] and a year [2018].", "An array [x] and a year [2018]."),
    ],
)
def test_reference_numbers_are_taken_out(text: str, plain: str) -> None:
    """Up to three digits in square brackets; other brackets stay."""
    assert without_citation_marks(text) == plain


def test_shingles_are_words_in_english_and_characters_in_japanese() -> None:
    """SPEC §13: word 5-grams, character 5-grams for Japanese; a short text is its own shingle."""
    assert shingles("one two three four five six") == {"one two three four five", "two three four five six"}
    assert shingles("低下させます。") == {"低下させま", "下させます"}
    assert shingles("Too short") == {"too short"}
    assert shingles("…") == frozenset()


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("a  b\nc", 200, "a b c"),
        ("x" * 201, 200, "x" * 199 + "…"),
        ("ab cd ef", 6, "ab cd…"),
        ("x" * 200, 200, "x" * 200),
    ],
)
def test_previews_fit_their_limit(text: str, limit: int, short: str) -> None:
    """One line, at most so many characters, and a mark where something is missing."""
    assert preview(text, limit) == short


@pytest.mark.timeout(5)
def test_full_stops_without_end_are_read_in_linear_time() -> None:
    """A line of leaders in a table of contents, or an attack; each start would otherwise try the whole run."""
    text = "x" + "." * 500_000 + "x"

    assert sentences(text) == [(0, len(text))]


@pytest.mark.timeout(5)
def test_of_a_pile_of_marks_the_first_thirty_are_kept() -> None:
    """To sort a pile takes quadratic time: half a million marks took hours."""
    assert nfkc("e" + "\u0300\u0315" * 250_000) == "è" + "\u0300" * 14 + "\u0315" * 15


def test_long_runs_of_symbols_are_no_pile() -> None:
    """Only marks that stand on a letter are cut."""
    assert nfkc("😀" * 100) == "😀" * 100


def test_text_of_strangers_cannot_steer_a_screen() -> None:
    """No escape sequence and no mark that turns the order of what follows; lines, tabs and joined letters stay."""
    assert strip_control_chars("5\u202e% \x1b[2Jof\r\n\t家族 👨‍👩‍👧\u2066") == "5% [2Jof\n\t家族 👨‍👩‍👧"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        pytest.param("給食費の無償化", ["給食", "食費", "無償", "償化"], id="kanji overlap"),
        pytest.param("がんとワクチン", ["がん", "んと", "ワクチン"], id="katakana whole"),
        pytest.param("水とﾜｸﾁﾝ", ["水", "ワクチン"], id="one character, half width"),
        pytest.param("HbA1cを調べている", ["hba1c", "調", "べて", "てい"], id="endings left out"),
    ],
)
def test_without_a_dictionary_japanese_is_cut_into_pairs(
    monkeypatch: pytest.MonkeyPatch, written: str, words: list[str]
) -> None:
    """Where the extra is not installed, words are still found by the characters they share."""
    monkeypatch.setattr("lyra.text.has_dictionary", lambda: False)

    assert tokens(written) == words
