"""Japanese statements: what is one, what is none, and what its text leaves out."""

import pytest

from lyra.claims.statements import statements


def texts(fragment: str) -> list[str]:
    return [found.text for found in statements(fragment, "ja")]


@pytest.mark.parametrize(
    "sentence",
    [
        "DPP-4阻害薬の服用は類天疱瘡の発症リスクを高める。",
        "DPP-4阻害薬は体重に影響しません。",
        "リナグリプチンは腎機能障害のある患者でも用量の調節を必要としない。",
        "75歳以上の患者では、DPP-4阻害薬の処方割合は72.8%に達した。",
        "DPP-4阻害薬をSU薬に追加すると低血糖のリスクが高くなる。",
        "重症低血糖の増加は認められなかった。",
        "研究チームは、2010年から18年までに糖尿病の飲み薬を始めた約168万人のデータを分析した。",
        "日本では経口血糖降下薬の中でDPP-4阻害薬の処方が最も多い。",
        "市場は2023年に15%縮小し、3兆円を下回った。",
        "はしかの患者は2024年に世界で約36万人報告された。",
        "感染者のうちの12%が重症化した。",
        "発汗量は気温が1度上がるごとに8%増加した。",
        "国民の60%が現在の税制を不公平だと感じている。",
        "私立大学の53%が2023年度に定員割れとなった。",
        "2022年には77万人の子どもが生まれ、出生数は過去最少となった。",
        "大学を卒業した人の賃金は高校卒の人より30%高い。",
        "就寝6時間前のカフェインは睡眠を41分短縮した(Smith et al., 2013)。",
    ],
)
def test_a_checkable_sentence_is_a_statement(sentence: str) -> None:
    """Plain and polite style alike."""
    assert texts(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "改正個人情報保護法は2022年4月に施行された。",
        "フォローアップ期間の中央値は5.3年であった。",
        "インターネット広告費は2023年に3兆3330億円に達した。",
        "電話調査では回答者の62%が法案に賛成した。",
        "接触確認アプリの利用者は2020年に2000万人を超えた。",
        "首相は取材に対し、増税は2025年に実施すると述べた。",
        "不正ログインの被害は2023年に5578件に上った。",
        "商標の出願件数は2021年に18万件を超えた。",
        "利益相反のある試験では、有効とする結論が1.3倍多かった。",
    ],
)
def test_a_topic_is_no_furniture(sentence: str) -> None:
    """個人情報, 広告 and 商標 are what lawyers research: only the notices about them are furniture."""
    assert texts(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("DPP-4阻害薬は心不全のリスクを高めるのでしょうか。", id="question"),
        pytest.param("DPP-4阻害薬は高齢者でも安全に使えるのか？", id="question mark"),
        pytest.param("皮膚にかゆみが続く場合には、早めに主治医に相談してください。", id="request"),
        pytest.param("投与開始前および投与中は、定期的に腎機能検査を行うこと。", id="instruction"),
        pytest.param("食事療法と運動療法を続けていきましょう、血糖値が下がります、始めましょう。", id="invitation"),
        pytest.param("記事・写真の無断転載を禁じます、著作権は港日報社に帰属します。", id="copyright"),
        pytest.param("この記事は会員限定です、続きを読むにはログインが必要です。", id="members only"),
        pytest.param("診療時間は平日の午前9時から午後6時までとなっております。", id="opening hours"),
        pytest.param("私は半年前からDPP-4阻害薬を飲んでいて、HbA1cが下がりました。", id="first person"),
        pytest.param("当院ではDPP-4阻害薬が多くの患者に処方されています。", id="our clinic"),
        pytest.param("この薬の値段はもう少し安くなればいいと思います。", id="opinion"),
        pytest.param("これは血糖値が高いときにだけ作用するためと考えられている。", id="kore"),
        pytest.param("そのうち32例はビルダグリプチンまたはテネリグリプチンを服用していた。", id="sono"),
        pytest.param("同薬は2009年に国内で承認され、広く使われるようになった。", id="the same drug"),
        pytest.param("本試験ではそのような増加はみられなかったと報告された。", id="the present trial"),
        pytest.param("町によると、昨年の出生数は38人で、前年の33人から15%増えた。", id="some town"),
        pytest.param("効果は導入の翌年に最も大きく、4年目には差がなくなった。", id="some effect"),
        pytest.param("2023年度には服薬患者の約6割に処方されていた。", id="no subject"),
        pytest.param("DPP-4阻害薬の有効性と安全性に関する最近の知見。", id="heading"),
        pytest.param("体重は変わらない。", id="too short"),
        pytest.param("DPP-4阻害薬は血糖値を" + "下げて、また" * 60 + "下げる。", id="too long"),
        pytest.param("研究代表者は「発症するのは1万人のうち年に7人ほどで、まれな副作用だ。", id="half a speech"),
        pytest.param("DPP-4阻害薬を飲むと本当に血糖値が下がるんですよね。", id="chatter"),
        pytest.param("移住支援金の効果について、当研究所がまとめた知見があります。", id="our institute"),
        pytest.param("支援金は、5年以内に転出した場合には全額を返還していただきます。", id="to be paid back"),
        pytest.param("物価の上昇が続くなか、給食の栄養価が保たれているかを調べた。", id="what was asked"),
        pytest.param("本稿は、無償化が出生と転入に与えた影響を全国のデータから明らかにする。", id="this paper"),
        pytest.param("無料会員の方は月3本まで記事を読むことができます。", id="free members"),
        pytest.param("診療は月曜日から金曜日の9時から17時までです。", id="weekdays"),
        pytest.param("研究計画は例大学倫理審査委員会の承認を2019年に得た。", id="ethics"),
        pytest.param("表2は対象患者1,204人の背景を要約したものである。", id="caption"),
        pytest.param("10mg以上を服用する場合は医師に相談する必要があります。", id="ask a doctor"),
        pytest.param("お使いの端末のIPアドレス10.2.3.4は24時間ブロックされました。", id="blocked"),
        pytest.param("研究の目的は、シタグリプチンの効果を明らかにすることである。", id="purpose"),
        pytest.param("もしアスピリンがリスクを90%下げるなら、すべての医師が処方するだろう。", id="if"),
        pytest.param("山田太郎は1975年東京都に生まれ、2003年に例大学を卒業した。", id="author"),
    ],
)
def test_what_is_no_statement(sentence: str) -> None:
    """Requests, furniture, diaries and what hangs on its neighbours are left out."""
    assert texts(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (
            "しかし、シタグリプチンは心不全のリスクを高めなかった。",
            "シタグリプチンは心不全のリスクを高めなかった。",
        ),
        (
            "その結果、DPP-4阻害薬を飲んでいる人の発症は2.2倍だった。",
            "DPP-4阻害薬を飲んでいる人の発症は2.2倍だった。",
        ),
        (
            "結論：DPP-4阻害薬は類天疱瘡の発症リスクを上昇させる。",
            "DPP-4阻害薬は類天疱瘡の発症リスクを上昇させる。",
        ),
        (
            "この研究では、DPP-4阻害薬の服用者で発症が多かった[5]。",
            "DPP-4阻害薬の服用者で発症が多かった。",
        ),
    ],
)
def test_the_text_stands_alone_and_the_quote_stays_exact(sentence: str, text: str) -> None:
    """Conjunctions, labels and frames leave `text` only."""
    found = statements(sentence, "ja")

    assert [(one.text, one.quote, one.language) for one in found] == [(text, sentence, "ja")]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("DPP-4阻害薬は免疫寛容を破綻させる可能性がある。", True),
        ("DPP-4阻害薬は免疫寛容を破綻させることを確認した。", False),
    ],
)
def test_hedges_are_noted(sentence: str, expected: bool) -> None:
    """可能性, 示唆, かもしれない and their like are no assertion."""
    assert [found.is_hedged for found in statements(sentence, "ja")] == [expected]


def test_places_count_characters_not_bytes() -> None:
    """A quote in Japanese must be found again at exactly its place."""
    fragment = "なぜか。DPP-4阻害薬の服用は類天疱瘡の発症リスクを高める。詳しくはこちら。"

    found = statements(fragment, "ja")

    assert [(one.start, one.end, fragment[one.start : one.end] == one.quote) for one in found] == [(4, 31, True)]


def test_definition_in_its_own_words_is_no_statement() -> None:
    """What a text says of a thing by repeating its name cannot be wrong; a definition that says more can."""
    own_words = "給食費無償化とは、給食費が無償になることです。"
    more = "移住支援金とは、東京から地方に移る世帯に自治体が100万円を払う制度である。"

    assert (texts(own_words), texts(more)) == ([], [more])
