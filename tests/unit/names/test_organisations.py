"""Names of organisations without their legal forms."""

import pytest

from lyra.names.organisations import FormPlace, OrganisationName, name_key, organisation_key, read_organisation


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("株式会社美咲野製作所", ("美咲野製作所", "株式会社", FormPlace.BEFORE), id="before"),
        pytest.param("美咲野製作所株式会社", ("美咲野製作所", "株式会社", FormPlace.AFTER), id="after"),
        pytest.param("㈱美咲野製作所", ("美咲野製作所", "株式会社", FormPlace.BEFORE), id="one-sign"),
        pytest.param("美咲野製作所（株）", ("美咲野製作所", "株式会社", FormPlace.AFTER), id="wide-brackets"),
        pytest.param("ミサキノ(ｶ", ("ミサキノ", "株式会社", FormPlace.AFTER), id="bank-kana"),
        pytest.param("一般財団法人 湖水研究会", ("湖水研究会", "一般財団法人", FormPlace.BEFORE), id="longest-form"),
        pytest.param("Misakino Works Co., Ltd.", ("Misakino Works", "limited", FormPlace.AFTER), id="co-ltd"),
        pytest.param("Misakino Works K.K.", ("Misakino Works", "株式会社", FormPlace.AFTER), id="kk"),
        pytest.param("Costco", ("Costco", None, FormPlace.NONE), id="co-within-a-word"),
        pytest.param("株式会社", ("株式会社", None, FormPlace.NONE), id="nothing-but-a-form"),
    ],
)
def test_the_legal_form_is_taken_off(name: str, expected: tuple[str, str | None, FormPlace]) -> None:
    """Whatever its writing, a form leaves the same core behind, and its place is kept."""
    assert read_organisation(name) == OrganisationName(*expected)


def test_a_key_ignores_how_a_name_is_written() -> None:
    """Width, case, accents, blanks and punctuation are no differences; a voiced kana is another letter."""
    assert name_key("Ｃａｆé Ｒ＆Ｄ") == name_key("cafe r and d") == "caferandd"
    assert name_key("ハハ") != name_key("ババ")
    assert organisation_key("株式会社") == "株式会社"
