"""training/: pairs whose labels follow from rules."""

import random

import pytest


@pytest.fixture
def chooser():
    return random.Random(3)


@pytest.fixture
def edits(script):
    return script("japanese_edits")


@pytest.fixture
def facts(script):
    script("fact_words")
    return script("facts")


@pytest.fixture
def make_rules(script, facts, edits):
    for name in ("rows", "jaquad", "sentences"):
        script(name)
    return script("make_rules")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        pytest.param("市は制度を導入した。", "市は制度を導入しなかった。", id="past"),
        pytest.param("市は制度を導入しました。", "市は制度を導入しませんでした。", id="polite past"),
        pytest.param("申請は無料である。", "申請は無料ではない。", id="being"),
        pytest.param("申請は無料ではない。", "申請は無料である。", id="a negation is taken back"),
        pytest.param("補助がある。", "補助はない。", id="existence"),
        pytest.param("補助の額。", None, id="no verb"),
    ],
)
def test_a_japanese_ending_is_turned(sentence, expected, edits, chooser):
    """The longest ending that is known decides."""
    assert edits.negate(sentence, chooser) == expected


def test_words_and_numbers_are_turned(edits, chooser):
    """One word becomes its opposite, one number another; a sentence with neither stays out."""
    assert edits.swap_word("出生数は増加した。", chooser) == "出生数は減少した。"
    assert edits.swap_word("市は会見した。", chooser) is None
    assert edits.change_number("対象は7人である。", chooser) in {f"対象は{n}人である。" for n in (8, 9, 10, 12)}
    assert edits.change_number("対象は7,500人である。", chooser) is None


def test_what_is_left_of_a_shortened_sentence_still_holds(edits, chooser):
    """A time at the front, a first clause and a style may go."""
    assert edits.drop_adverbial("2014年に、市は補助を大きく広げた。", chooser) == "市は補助を大きく広げた。"
    assert edits.last_clause("この市は補助を見直し、対象を広げた。", chooser) == "この市は対象を広げた。"
    assert edits.restyled("補助がある。", random.Random(0)) in {"補助があります。", "補助が存在する。"}


def test_pairs_of_an_article_carry_the_label_of_their_rule(make_rules, chooser):
    """The changed sentence refutes, the shortened one follows, another one of the article is open."""
    paragraph = ["2014年に、市は補助の対象を12歳までに広げた。", "申請は毎年四月に受け付けている。"]
    everything = [*paragraph, "この町には図書館が三つあり、どれも駅に近い。"]

    found = [row for _ in range(20) for row in make_rules.sentence_pairs(paragraph, 0, everything, chooser)]

    assert {row.label for row in found} == {"E", "C", "N"}
    assert {row.hypothesis for row in found if row.label == "N"} & set(everything[:1]) == set()
    assert all(row.hypothesis not in row.premise for row in found if row.label == "C")


def test_a_fact_never_says_the_same_and_the_contrary(facts, chooser):
    """In two hundred draws of each kind no sentence stands on two sides, in either language."""
    made = [kind(chooser) for kind in facts.KINDS for _ in range(200)]

    holds = [{text for pair in (*fact.same, *fact.less) for text in pair} for fact in made]
    turned = [{text for pair in fact.contrary for text in pair} for fact in made]
    beside = [{text for pair in fact.beside for text in pair} for fact in made]

    assert [a & b for a, b in zip(holds, turned, strict=True) if a & b] == []
    assert [a & b for a, b in zip(holds, beside, strict=True) if a & b] == []


def test_yen_are_written_in_many_ways(facts):
    """All of one value."""
    forms = {facts.yen(15_000, random.Random(seed)) for seed in range(60)}

    assert forms == {"15,000円", "15000円", "1万5,000円", "1万5千円"}
