"""What the demonstration asks of each topic."""

import pytest

from lyra.errors import InvalidParams
from lyra_bench.demo.plan import Asked, known_topics, plan_of


def test_the_topics_are_shown_in_a_fixed_order() -> None:
    """The medical one first, then the Japanese one, then the standard."""
    assert known_topics() == ("dpp4", "kosodate", "alp2")


def test_a_japanese_topic_is_asked_in_japanese() -> None:
    """Question, hypotheses and queries are Japanese; queries are spread over what the truth file asks."""
    plan = plan_of("kosodate")

    assert plan.language == "ja"
    assert plan.searches == (
        Asked("給食費 無償化 出生数 効果"),
        Asked("給食費 無償化 食べ残し 残食率"),
        Asked("移住支援金 転入 効果"),
        Asked("出産祝い金 第3子 出生"),
        Asked("給食費 無償化 出生数 増えない", refute=True),
    )
    assert plan.text(plan.hypotheses[1]) == "学校給食費の無償化は出生数を増やす。"
    assert plan.meaning == "学校給食費の無償化は出生数を増やす。"


def test_a_topic_in_two_languages_ends_with_the_other() -> None:
    """Three English queries, one Japanese, one against."""
    plan = plan_of("dpp4")

    assert [asked.query for asked in plan.searches] == [
        "DPP-4 inhibitors add-on to insulin HbA1c hypoglycaemia",
        "saxagliptin heart failure hospitalisation",
        "DPP-4 inhibitors all-cause mortality",
        "DPP-4阻害薬 インスリン 併用 低血糖",
        "saxagliptin heart failure not increased",
    ]


def test_fewer_queries_on_request() -> None:
    """One search and the one against it."""
    plan = plan_of("alp2", queries=1)

    assert plan.searches == (
        Asked("ALP-2 wireless charging efficiency measured"),
        Asked("ALP-2 chargers fall back to 5 watts", refute=True),
    )


def test_a_topic_that_is_not_there_is_named() -> None:
    """The remedy lists those that are."""
    with pytest.raises(InvalidParams) as raised:
        plan_of("astrology")

    assert raised.value.message == "The simulated web has no topic 'astrology'."
    assert raised.value.remedy == "Use one of: dpp4, kosodate, alp2."
