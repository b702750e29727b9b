"""The language of a document is told from its words before its declarations."""

import pytest

from lyra.extract.classify import document_language

_ENGLISH = (
    "The trial enrolled adults with type 2 diabetes, and the change in HbA1c was the primary outcome of the study."
)
_GERMAN = "Die Studie schloss Erwachsene mit Diabetes ein, und die Senkung des Blutzuckers war das wichtigste Ergebnis."


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("対象は2型糖尿病の成人であり、主要評価項目はHbA1cの変化量であった。", "en", "ja"),
        (_ENGLISH, "ja", "en"),
        (_ENGLISH, None, "en"),
        (_GERMAN, "de", "de"),
        (_GERMAN, "en", "de"),
        ("HbA1c −0.7 %", "de", "de"),
        ("HbA1c −0.7 %", None, "und"),
        ("", None, "und"),
    ],
    ids=[
        "Japanese script in an English template",
        "English words in a Japanese template",
        "English, undeclared",
        "German, declared",
        "German in an English template",
        "too short, declared",
        "too short, undeclared",
        "nothing",
    ],
)
def test_document_language(text: str, declared: str | None, language: str) -> None:
    """A template's lang attribute is often wrong; a few words are too little to guess by."""
    assert document_language(text, declared) == language
