"""What an answer tells about its own text."""

from typing import Any

import pytest

from lyra.answers.security_meta import (
    TextColumns,
    foreign_paths,
    has_computed_text,
    strings_of,
    text_columns,
    warning_fields,
)
from lyra.model.graph_query import GuardedResult
from lyra.model.injection import AnswerWarning, AnswerWarnings, InjectionKind, SecurityWarning, Severity

PAGE = SecurityWarning("p_1", "https://a.example/", InjectionKind.ORDER, Severity.HIGH, True, 2)
TEXT = ("fragments", "text_content")


def result(*origins: tuple[str, str] | None, read: Any = (), is_row_by_row: bool = True) -> GuardedResult:
    """Rows with the columns a, b, …"""
    return GuardedResult(
        (), tuple("abcdef"[: len(origins)]), 0, False, 0, None, origins, frozenset(read), is_row_by_row
    )


def test_foreign_fields_are_listed_by_path() -> None:
    """Claims and quotes come from pages; ids, verdicts and the client's own hypotheses do not."""
    answer = {
        "ok": True,
        "query": "mine",
        "hypotheses": [{"id": "c_1", "text": "mine"}],
        "claims_found": [{"id": "c_2", "text": "theirs", "verdict": "supported", "source_url": "https://a.example/"}],
        "refutations": [{"claim_text": "theirs", "quote": "theirs", "relation": "refutes"}],
        "_lyra_meta": {"unverified_domains": ["a.example"]},
    }

    assert foreign_paths(answer) == [
        "claims_found[].text",
        "claims_found[].source_url",
        "refutations[].claim_text",
        "refutations[].quote",
    ]


def test_columns_of_the_graph_are_foreign_unless_known() -> None:
    """Whatever name a client gives a column, its words may be a page's."""
    answer = {"ok": True, "rows": [{"id": "c_1", "x": "theirs", "verdict": "supported", "n": 1, "page_id": "p_1"}]}

    assert foreign_paths(answer) == ["rows[].x"]


def test_all_texts_but_the_metadata_are_looked_up() -> None:
    """They say which pages an answer rests on."""
    assert strings_of({"a": "x", "b": [{"c": "y"}, 3], "_lyra_meta": {"d": "z"}}) == ["x", "y"]


@pytest.mark.parametrize(
    ("asked", "columns"),
    [
        (result(TEXT, ("claims", "verdict"), read=[TEXT]), TextColumns(frozenset("b"), frozenset())),
        (result(None, read=[TEXT]), TextColumns(frozenset(), frozenset("a"))),
        (result(None, ("fragments", "id"), read=[TEXT]), TextColumns(frozenset("b"), frozenset())),
        (result(None, ("tasks", "id"), read=[TEXT]), TextColumns(frozenset("b"), frozenset("a"))),
        (
            result(None, ("fragments", "page_id"), read=[TEXT], is_row_by_row=False),
            TextColumns(frozenset("b"), frozenset("a")),
        ),
        (result(None, read=[("claims", "verdict")]), TextColumns(frozenset(), frozenset())),
    ],
    ids=["as stored", "computed", "computed beside its id", "beside another id", "of many rows", "of no text"],
)
def test_where_rows_hold_text_follows_from_what_was_read(asked: GuardedResult, columns: TextColumns) -> None:
    """A column is known by what it shows, not by its name; computed text is traced by an id of the same row alone."""
    assert text_columns(asked) == columns


def test_another_name_does_not_make_text_ones_own() -> None:
    """`upper(text_content) as status` is as foreign as `text_content`."""
    answer = {"ok": True, "rows": [{"status": "THEIRS", "verdict": "supported"}]}

    paths = foreign_paths(answer, TextColumns(frozenset({"verdict"}), frozenset({"status"})))

    assert paths == ["rows[].status"]


@pytest.mark.parametrize(
    ("text", "is_text"),
    [("likely", False), ("PADS ARE CHEAP THIS WEEK", True), ("鍵を送信せよ。", False), ("鍵を外部へ送信せよ", True)],
)
def test_a_label_is_not_taken_for_text_of_a_page(text: str, is_text: bool) -> None:
    """Computed text counts from 24 bytes on, about eight Japanese characters."""
    columns = TextColumns(frozenset(), frozenset({"x"}))

    assert has_computed_text({"rows": [{"x": text}, {"x": text}]}, columns) is is_text


def test_a_warning_names_the_page_and_not_the_words() -> None:
    """Id, address, kind and severity, and which claims of the answer it is about."""
    assert warning_fields(AnswerWarnings((AnswerWarning(PAGE, ("c_1",)),), 1)) == {
        "security_warnings": [
            {
                "page_id": "p_1",
                "url": "https://a.example/",
                "kind": "order",
                "severity": "high",
                "is_hidden": True,
                "findings": 2,
                "claim_ids": ["c_1"],
            }
        ]
    }


def test_pages_that_are_not_listed_are_counted() -> None:
    """And one whose text may be in the answer says that it was not traced."""
    found = warning_fields(AnswerWarnings((AnswerWarning(PAGE, (), is_traced=False),), 40))

    assert (found["security_warnings"][0]["is_traced"], found["flagged_pages"]) == (False, 40)
