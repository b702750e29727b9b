"""What a query asks registries for."""

from datetime import date

import pytest

from lyra.names.identifiers import NamedIdentifier
from lyra.registries.question import Question, read_question


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("Misakino Works", Question("Misakino Works"), id="words"),
        pytest.param("www.misakino-works.co.jp", Question("", domain="misakino-works.co.jp"), id="host"),
        pytest.param("https://Misakino-Works.com/about?x=1", Question("", domain="misakino-works.com"), id="address"),
        pytest.param("node.js vulnerabilities", Question("node.js vulnerabilities"), id="no-domain-among-words"),
        pytest.param(
            "Ｔ８７００１１０００５９０１",
            Question("", identifiers=(NamedIdentifier("corporate_number", "8700110005901"),)),
            id="wide-number",
        ),
        pytest.param(
            "美咲野製作所 E99901 2026年6月26日",
            Question("美咲野製作所", None, (NamedIdentifier("edinet_code", "E99901"),), (date(2026, 6, 26),)),
            id="code-and-day",
        ),
        pytest.param("軸受 2026-02-30", Question("軸受"), id="no-such-day"),
    ],
)
def test_a_query_is_taken_apart(query: str, expected: Question) -> None:
    """Numbers count with right check digits only; nothing is added."""
    assert read_question(query) == expected


def test_kanji_alone_are_japanese() -> None:
    """Names of companies and laws often have no kana."""
    assert (read_question("株式会社美咲野製作所").is_japanese, read_question("Misakino").is_japanese) == (True, False)
