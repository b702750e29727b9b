"""Addresses in answers have no secrets; the words of pages stay as they are."""

from typing import Any

from lyra.answers.addresses import without_secrets
from lyra.answers.research import QueryAnswer
from lyra.answers.security_meta import TextColumns
from lyra.redact.redactor import PLAIN

TOKEN = "6f1b0c9d3e5a47f28b64c0d1e2f3a4b5"
SIGNED = f"https://files.example/a?access_token={TOKEN}"
CLEAN = "https://files.example/a?access_token=redacted"


def test_addresses_and_lyra_s_own_sentences_are_clean() -> None:
    """Whatever the field is called, and at any depth."""
    fields: dict[str, Any] = {
        "claims_found": [{"text": "It fell.", "source_url": SIGNED, "title": SIGNED}],
        "problems": [f"{SIGNED} timed_out: too slow"],
    }

    assert without_secrets(fields, PLAIN) == {
        "claims_found": [{"text": "It fell.", "source_url": CLEAN, "title": CLEAN}],
        "problems": [f"{CLEAN} timed_out: too slow"],
    }


def test_the_words_of_a_page_stay() -> None:
    """A quote must be found on its page again, byte for byte."""
    fields = {"refutations": [{"quote": f"Send it to {SIGNED} today."}]}

    assert without_secrets(fields, PLAIN) == fields


def test_rows_are_clean_whatever_a_statement_calls_the_column() -> None:
    """An address by itself in any column, and addresses in text that was put together."""
    columns = TextColumns(frozenset(), frozenset({"x"}))
    rows = [{"text": SIGNED, "text_content": f"See {SIGNED} there.", "x": f"{SIGNED} ; {SIGNED}", "n": 1}]

    (row,) = without_secrets({"rows": rows}, PLAIN, columns)["rows"]

    assert row == {"text": CLEAN, "text_content": f"See {SIGNED} there.", "x": f"{CLEAN} ; {CLEAN}", "n": 1}


def test_an_answer_keeps_which_fields_were_set() -> None:
    """What was not set is not printed afterwards either."""
    answer = QueryAnswer(rows=[{"url": SIGNED}], row_count=1)

    clean = without_secrets(answer, PLAIN)

    assert clean.cli_fields() == {"rows": [{"url": CLEAN}], "row_count": 1}
