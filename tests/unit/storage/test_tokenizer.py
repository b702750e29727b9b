"""The full-text tokenizer: words by script, with the byte offsets that FTS5 marks by."""

import apsw
import pytest

from lyra.storage import tokenizer


@pytest.fixture
def index() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    tokenizer.register(connection)
    connection.execute("create virtual table texts using fts5 (body, tokenize = 'lyra')")
    return connection


def found(index: apsw.Connection, query: str) -> list[int]:
    return [row for (row,) in index.execute("select rowid from texts where texts match ? order by rowid", (query,))]


TEXTS = [
    "DPP-4阻害薬は血糖値を下げるが、急性膵炎のリスクがある。",
    "Sitagliptin lowered HbA1c; no rise in heart-failure admissions.",
    "HbA1cの低下は2型糖尿病患者で認められた。",
    "東京都の高齢者における低血糖",
    "国立国際医療研究センターの報告",
]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("血糖", [1, 4]),
        ("膵炎", [1]),
        ("糖尿病", [3]),
        ("京都", []),
        ("東京", [4]),
        ("医療", [5]),
        ("hba1c", [2, 3]),
        ("HbA1c", [2, 3]),
        ('"dpp-4"', [1]),
        ('"heart-failure"', [2]),
        ("阻害薬", [1]),
        ("血糖 OR sitagliptin", [1, 2, 4]),
        ("sita*", [2]),
    ],
)
def test_words_of_both_languages_are_found(index, query, rows):
    """Two-character words are found, parts of other words (京都 in 東京都) are not, case does not matter."""
    index.executemany("insert into texts (rowid, body) values (?, ?)", list(enumerate(TEXTS, 1)))

    assert found(index, query) == rows


def test_a_pair_inside_a_word_the_dictionary_keeps_whole_is_found(index):
    """北海道 is one word to the dictionary; whoever asks for 北海 still finds it."""
    index.execute("insert into texts (body) values ('北海道の十二指腸潰瘍患者')")

    assert [found(index, query) for query in ("北海道", "北海", "海道", "北道")] == [[1], [1], [1], []]


def test_offsets_are_bytes(index):
    """highlight() cuts the stored bytes: after Japanese, character offsets would mark the wrong place."""
    index.execute("insert into texts (body) values ('心不全の risk は不明')")

    marked = index.execute("select highlight(texts, 0, '[', ']') from texts where texts match 'risk OR 不明'").get

    assert marked == "心不全の [risk] は[不明]"


def test_binary_rubbish_is_passed_over(index):
    """A text that is no UTF-8 gives no error and no token; the words around it are found."""
    index.execute("insert into texts (body) values (cast(x'616263ff20e38182' as text))")

    assert found(index, "abc") == [1]
