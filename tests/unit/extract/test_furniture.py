"""Invitations, credits and consent lines are told from prose."""

import pytest

from lyra.extract.html_parts import is_boilerplate


@pytest.mark.parametrize(
    "line",
    [
        "Read more: Why insulin prices fell",
        "Sign up for our daily health newsletter",
        "RELATED ARTICLES",
        "Photo: Jane Doe / Agency",
        "© 2024 The Example Times. All rights reserved.",
        "Follow Example News on Twitter and Facebook.",
        "We use cookies to improve your experience on our site.",
        "関連記事：インスリンの価格",
        "この記事をシェアする",
        "無断転載禁止",
        "当サイトではCookieを使用しています。",
        "Lesen Sie auch: Was hilft gegen Diabetes?",
        "À lire aussi",
        "Lea también: El precio de la insulina",
        "3 min read",
        "Published:",
        "· Last updated on",
        "更新日：",
        "12:45",
    ],
)
def test_lines_of_the_page(line: str) -> None:
    """Such a line in the text would become a fragment and be judged as evidence."""
    assert is_boilerplate(line) is True


@pytest.mark.parametrize(
    "line",
    [
        "Related adverse events were reported in 4% of patients in both groups.",
        "Reading the trial report shows that HbA1c fell by 0.7 points.",
        "The photo-receptor cells of the retina are damaged first.",
        "関連性は認められなかった。",
        "広告費は売上の3%であった。",
        "Cookies made with almond flour raised blood glucose less than those made with wheat.",
        "Supporting evidence comes from three trials.",
        "Also patients on insulin improved.",
        "Recommended doses are 100 mg once a day.",
        "Sponsored trials reported larger effects.",
        "Copyright law does not protect dosing tables.",
        "Advertisement of the drug to patients is banned in Japan.",
        "スポンサーは結果の解析に関与していない。",
        "Anzeige erstattete die Klinik erst im Mai.",
        "Sponsored trials reported larger effects than independent ones. " * 4,
        "Accept all cookies, the baker said, and none of them was too sweet for him, nor too large. " * 6,
    ],
)
def test_lines_of_the_text(line: str) -> None:
    """Prose that begins alike must survive."""
    assert is_boilerplate(line) is False


@pytest.mark.timeout(5)
def test_figures_without_end_are_judged_in_linear_time() -> None:
    """They may stand before or after a word such as "views", which doubles the ways to read them."""
    assert is_boilerplate("1" * 200_000 + "x") is False
