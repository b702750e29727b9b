"""What `lyra check` shows of a finding."""

import pytest

from lyra.cli.check import show_result
from lyra.model.check import CheckedKind, CheckResult, CheckStatus, Finding, Place
from lyra.translate import Language, in_language


@pytest.mark.parametrize(("language", "word"), [("en", "confirmed"), ("ja", "確認済み")])
def test_what_is_in_order_is_confirmed(language: Language, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no solved item of the queue."""
    found = Finding(CheckedKind.CITATION, CheckStatus.RESOLVED, Place(1, 2, 1, 4), "[1]", "")

    with in_language(language):
        show_result(CheckResult((found,), 1, 0), with_all=True)

    assert capsys.readouterr().out.splitlines()[0] == f"1:2  {word}  [1]"
