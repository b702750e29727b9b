"""What is taken for one SELECT, judged by its text alone."""

import pytest

from lyra.errors import InvalidParams
from lyra.storage.client_query import MAX_SQL_CHARS, check_text


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "SELECT 1;",
        "  \n\twith a as (select 1) select * from a ; \n",
        "-- why; drop\nselect 1",
        "/* a; b */ select 1 /* c; */",
        "select 'a; drop table claims' as x",
        "select '心不全; --' as \"a;b\", `c;d`, [e;f] from claims",
        "select 'it''s; fine'",
        "select replace(claim_text, ';', ',') from claims",
        "with/* x */a as (select 1) select * from a",
    ],
)
def test_one_select_is_taken(sql):
    """Comments, trailing semicolons and anything inside literals or quoted names are free."""
    assert check_text(sql) is None


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "The SQL is empty."),
        (" ;; \n", "The SQL is empty."),
        ("-- only a comment", "The SQL is empty."),
        ("delete from claims", "The statement does not begin with SELECT or WITH."),
        ("selectx 1", "The statement does not begin with SELECT or WITH."),
        ("explain select 1", "The statement does not begin with SELECT or WITH."),
        ("pragma user_version", "The statement does not begin with SELECT or WITH."),
        ("'select 1'", "The statement does not begin with SELECT or WITH."),
        ("select 1; drop table claims", "There is more than one statement."),
        ("select 1;\nselect 2;", "There is more than one statement."),
        ("select 'a'; -- x\n delete from claims", "There is more than one statement."),
        ("select 1\x00; drop table claims", "There is more than one statement."),
        ("select 1\x00", "There is more than one statement."),
    ],
)
def test_anything_else_is_refused(sql, message):
    """The text is refused before a connection is opened, and the message says why."""
    with pytest.raises(InvalidParams) as refused:
        check_text(sql)

    assert refused.value.message == message


def test_a_text_of_ten_megabytes_is_refused_at_once():
    """Length is checked before anything reads the text."""
    with pytest.raises(InvalidParams) as refused:
        check_text("select " + "1" * 10_000_000)

    assert refused.value.message == f"The SQL has 10000007 characters; at most {MAX_SQL_CHARS} are taken."
