"""training/: pairs without labels that are made of the written corpus by rule."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

ENGLISH = {
    "subject": "Ferries of Korsvik",
    "domain": "transport",
    "lang": "en",
    "passages": [
        "The ferry at Korsvik carried 412,000 people. It was late twice. The crew is small.",
        "A boat leaves Tarn at noon. The one at Korsvik leaves at nine. Tickets rose in price.",
        "Roads to Tarn are closed. Nobody knows why.",
    ],
    "genres": ["news", "notice", "faq"],
    "claims": ["The ferry at Korsvik carried 412,000 people.", "Fares rose."],
    "labels": ["EN", "NE", "NN"],
}
JAPANESE = {
    "subject": "青葉市の図書館",
    "domain": "図書館",
    "lang": "ja",
    "passages": [
        "青葉市の貸出は3万冊だった。休館日は月曜である。駐車場はない。",
        "白川市の貸出は2万冊だった。青葉市より少ない。",
    ],
    "genres": ["統計", "新聞"],
    "claims": ["青葉市の貸出は3万冊だった。"],
    "labels": ["E", "N"],
}
OTHER = ENGLISH | {
    "subject": "Trams of Pell",
    "passages": ["Trams in Pell run all night. They are full."],
    "claims": ["The tram was not late, and 20 people used it."],
    "labels": ["N"],
}


WAYS = ("cause", "crossed", "cut", "figure", "joined", "negated", "renamed", "renoted", "swapped")


@pytest.fixture
def modules(script):
    names = ("rows", "corpus", "sentences", "perturb", "japanese_edits", "figure_notation", "turned", "turn_claims")
    return {name: script(name) for name in names}


@pytest.fixture
def groups(modules, tmp_path: Path):
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in (ENGLISH, OTHER, JAPANESE))
    (tmp_path / "new_file.jsonl").write_text(lines, "utf-8")
    return modules["corpus"].read_groups(tmp_path)


@pytest.fixture
def turned(modules):
    return modules["turned"]


@pytest.mark.parametrize(
    ("claim", "lang", "expected"),
    [
        ("The prize is worth 25,000 euros.", "en", {"twenty-five thousand"}),
        ("It cost 3.8 million euros.", "en", {"3,800,000"}),
        ("The Vesta 24 won in 2019.", "en", set()),
        ("受診率は40%だった。", "ja", {"4割", "40パーセント", "４０％"}),
    ],
    ids=["thousands", "millions", "a model and a year", "per cent"],
)
def test_a_figure_is_written_in_another_way(turned, claim, lang, expected):
    """The value stays; years and the numbers of models have no other notation."""
    made = {turned.other_notation(claim, lang, random.Random(seed)) for seed in range(40)} - {None}

    assert {form for form in expected if not any(form in each for each in made)} == set()
    assert (made == set()) == (expected == set())


def test_another_figure_keeps_its_notation(turned):
    """A figure with a comma stays one, and the words around it stay."""
    made = turned.other_figure("It carried 412,000 people.", "en", random.Random(2))

    assert made in {f"It carried {round(412_000 * factor):,} people." for factor in turned.FACTORS}


def test_a_name_is_exchanged_for_one_of_its_kind(turned):
    """Towns for towns; a name of another kind never takes its place."""
    names = ["「はやぶさ」", "白川市", "青葉市"]

    assert turned.other_name("青葉市の貸出は増えた。", names, random.Random(0)) == "白川市の貸出は増えた。"
    assert turned.other_name("特急「はやぶさ」は速い。", names, random.Random(0)) is None


@pytest.mark.parametrize(
    ("claim", "lang", "expected"),
    [
        ("Sales fell because of the strike.", "en", "Sales fell."),
        ("天候のため、売上は減った。", "ja", "売上は減った。"),
    ],
)
def test_a_cause_is_taken_away(turned, claim, lang, expected):
    """What remains says less."""
    assert turned.cause_turned(claim, lang, random.Random(0)) == expected


def test_a_cause_is_added(turned):
    """A claim without a cause gets one."""
    assert turned.cause_turned("Sales fell.", "en", random.Random(0)) in {
        f"Sales fell {cause}." for cause in turned.CAUSES["en"]
    }


def test_pairs_are_distinct_and_have_no_label(modules, groups):
    """Both languages, every way of making a pair that applies, none of them as it was written."""
    rows = modules["turn_claims"].turned_rows(groups, 10_000, seed=0)

    pairs = Counter((row.premise, row.hypothesis) for row in rows)
    assert [pair for pair, count in pairs.items() if count > 1] == []
    assert pairs.keys() & {(text, claim) for each in groups for text in each.passages for claim in each.claims} == set()
    assert {row.label for row in rows} == {""}
    assert {row.source for row in rows if row.lang == "en"} == {f"turned_{way}_en" for way in WAYS}


def test_a_cut_passage_has_two_of_its_sentences(modules, groups):
    """In the order that they have in the passage."""
    made = {text for _, text, _ in modules["turn_claims"].cut_pairs(groups[0], random.Random(0))}

    assert made <= {
        "The ferry at Korsvik carried 412,000 people. It was late twice.",
        "The ferry at Korsvik carried 412,000 people. The crew is small.",
        "It was late twice. The crew is small.",
        "A boat leaves Tarn at noon. The one at Korsvik leaves at nine.",
        "A boat leaves Tarn at noon. Tickets rose in price.",
        "The one at Korsvik leaves at nine. Tickets rose in price.",
    }


def test_a_language_has_half_of_the_pairs(modules):
    """With the whole corpus 2,000 pairs are asked for and 1,000 of each language come."""
    groups = modules["corpus"].read_groups(Path(modules["corpus"].__file__).parent / "corpus")[::12]

    rows = modules["turn_claims"].turned_rows(groups, 2_000, seed=0)

    assert Counter(row.lang for row in rows) == {"en": 1_000, "ja": 1_000}


def test_held_out_groups_take_no_part(modules):
    """No passage and no claim of theirs occurs in a pair, whole or in part."""
    groups = modules["corpus"].read_groups(Path(modules["corpus"].__file__).parent / "corpus")[::12]
    held = [group for group in groups if group.is_held_out]

    rows = modules["turn_claims"].turned_rows(groups, 20_000, seed=0)

    assert {row.hypothesis for row in rows} & {claim for group in held for claim in group.claims} == set()
    assert {row.premise for row in rows} & {text for group in held for text in group.passages} == set()
