"""What an answer tells about its own text."""

from lyra.answers.security_meta import foreign_paths, strings_of, warning_rows
from lyra.model.injection import AnswerWarning, InjectionKind, SecurityWarning, Severity


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


def test_a_warning_names_the_page_and_not_the_words() -> None:
    """Id, address, kind and severity, and which claims of the answer it is about."""
    page = SecurityWarning("p_1", "https://a.example/", InjectionKind.ORDER, Severity.HIGH, True, 2)

    assert warning_rows([AnswerWarning(page, ("c_1",))]) == [
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
