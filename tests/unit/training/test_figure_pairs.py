"""training/: pairs about figures, whose labels follow from arithmetic and from nothing else."""

import math
import random
from collections import Counter, defaultdict

import pytest

SAMPLE = 8_000


@pytest.fixture(scope="module")
def modules(module_script):
    names = ("rows", "figure_notation", "figure_kinds", "figure_scenes", "figure_texts", "figure_pairs")
    return {name: module_script(name) for name in names}


@pytest.fixture(scope="module", params=["en", "ja"])
def pairs(request, modules):
    return modules["figure_pairs"].draw_pairs(request.param, SAMPLE, seed=5)


def label_counts(pairs, key):
    """How often each label goes with each value of `key`."""
    found = defaultdict(Counter)
    for pair in pairs:
        found[key(pair)][pair.row.label] += 1
    return found


def supported_share(labels):
    return labels["E"] / (labels["E"] + labels["C"])


def guess_rate(pairs, text_of):
    """How often naive Bayes over pieces of a text guesses the label of pairs that it was not made from."""
    seen, counts = Counter(), defaultdict(Counter)
    for pair in pairs[::2]:
        seen[pair.row.label] += 1
        counts[pair.row.label].update(set(pieces(text_of(pair))))

    def score(found, label):
        return math.log(seen[label]) + sum(math.log((counts[label][each] + 1) / (seen[label] + 2)) for each in found)

    asked = [(set(pieces(text_of(pair))), pair.row.label) for pair in pairs[1::2]]
    return sum(max("ECN", key=lambda label: score(found, label)) == truth for found, truth in asked) / len(asked)


def pieces(text):
    words = text.lower().split()
    return words if len(words) > 4 else [text[place : place + 2] for place in range(len(text) - 1)]


def test_every_wording_holds_as_often_as_it_fails(pairs):
    """Of the pairs in which the text settles the claim, each wording has between .4 and .6 that support it."""
    shares = {wording: supported_share(each) for wording, each in label_counts(pairs, lambda p: p.wording).items()}

    assert {wording: share for wording, share in shares.items() if not 0.4 <= share <= 0.6} == {}
    assert len(shares) > 150


def test_every_kind_meets_neutral_texts(pairs):
    """About a quarter of the pairs is neutral, whatever the claim says."""
    counts = label_counts(pairs, lambda p: (p.layout, p.kind))
    shares = {kind: each["N"] / each.total() for kind, each in counts.items()}

    assert {kind: share for kind, share in shares.items() if not 0.15 <= share <= 0.35} == {}


@pytest.mark.parametrize(
    ("trait", "margin"),
    [("frame", 0.2), ("quantity", 0.2), ("has_aside", 0.05), ("place", 0.1)],
)
def test_nothing_about_the_text_gives_the_side_away(pairs, trait, margin):
    """Frame, quantity, a sentence with another figure and the place of the deciding one go with both sides alike."""
    counts = label_counts(pairs, lambda p: getattr(p, trait))
    shares = {value: supported_share(each) for value, each in counts.items() if each["E"] + each["C"] >= 100}

    assert {value: share for value, share in shares.items() if abs(share - 0.5) > margin} == {}


def test_the_claim_alone_tells_nothing(pairs):
    """Guessing from the words of the claim does hardly better than always naming one label (.375)."""
    assert guess_rate(pairs, lambda pair: pair.row.hypothesis) < 0.42


def test_the_text_alone_tells_nothing(pairs):
    """The same holds for the words of the text."""
    assert guess_rate(pairs, lambda pair: pair.row.premise) < 0.42


def test_the_same_seed_gives_the_same_pairs(modules):
    """Another seed gives others."""
    draw = modules["figure_pairs"].draw_pairs

    first, again, other = draw("en", 50, seed=1), draw("en", 50, seed=1), draw("en", 50, seed=2)

    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("layout", "kind", "values", "names", "label"),
    [
        ("change", "rose", (3200, 4100), (), "E"),
        ("change", "rose", (3200, 3200), (), "C"),
        ("change", "halved", (908, 454), (), "E"),
        ("change", "halved", (908, 700), (), "C"),
        ("change", "halved", (908, 520), (), None),
        ("change", "up_over", (100, 121), (20,), "E"),
        ("change", "up_under", (100, 90), (20,), "C"),
        ("change", "down_by", (64.2, 55.7), (8.5,), "E"),
        ("change", "fell_below", (112, 91), (100,), "E"),
        ("change", "fell_below", (112, 104), (100,), "C"),
        ("change", "fell_below", (98, 91), (100,), None),
        ("level", "at_least", (400,), (400,), "E"),
        ("level", "over", (400,), (400,), "C"),
        ("level", "exact", (38_000,), (3_800_000,), "C"),
        ("level", "about", (412,), (400,), "E"),
        ("level", "about", (450,), (400,), None),
        ("compare", "twice", (1670, 835), (), "E"),
        ("compare", "more", (133, 168), (), "C"),
        ("target", "met", (1128, 1243), (), "C"),
        ("share", "most", (713, 1240), (), "E"),
        ("share", "nearly_half", (480, 1000), (), "E"),
        ("share", "nearly_half", (300, 1000), (), "C"),
        ("dates", "late_by", (0, 117, 110), (7,), "E"),
    ],
)
def test_a_kind_judges_by_arithmetic(modules, layout, kind, values, names, label):
    """Figures in the band where readers would differ have no label."""
    assert modules["figure_kinds"].LAYOUTS[layout][kind].judge(values, names) == label


@pytest.mark.parametrize(
    ("value", "unit", "style", "lang", "expected"),
    [
        (38_000, "count", "comma", "en", "38,000"),
        (38_000, "count", "words", "en", "thirty-eight thousand"),
        (3_800_000, "gbp", "scaled", "en", "£3.8 million"),
        (3_812_345, "gbp", "scaled", "en", "£3,812,345"),
        (16.1, "gbp", "comma", "en", "£16.10"),
        (42, "day", "scaled", "en", "6 weeks"),
        (95, "minute", "scaled", "en", "1 hour 35 minutes"),
        (38_200, "人", "scaled", "ja", "3万8,200人"),
        (38_000, "人", "scaled", "ja", "3万8千人"),
        (38_000, "人", "kanji", "ja", "三万八千人"),
        (38_200, "人", "wide", "ja", "３８，２００人"),
        (45_000_000, "yen", "units", "ja", "45百万円"),
        (512_000_000, "yen", "comma", "ja", "5億1,200万円"),
        (35, "pct", "scaled", "ja", "3割5分"),
        (40, "pct", "scaled", "ja", "4割"),
        (6.4, "pct", "scaled", "ja", "6.4%"),
    ],
)
def test_a_notation_says_the_whole_value(modules, value, unit, style, lang, expected):
    """A notation that would round the value gives way to a plainer one."""
    assert modules["figure_notation"].written(value, unit, style, lang) == expected


@pytest.mark.parametrize(
    ("time", "style", "lang", "expected"),
    [
        (2021, "fiscal", "en", "2021/22"),
        (0, "visit", "en", "baseline"),
        (2019, "year_era", "ja", "令和元年"),
        (2018, "fiscal_era", "ja", "平成30年度"),
        (12, "visit", "ja", "12週後"),
    ],
)
def test_a_time_has_the_page_s_name(modules, time, style, lang, expected):
    """Years, financial years, Japanese eras and visits of a trial."""
    assert modules["figure_scenes"].time_label(time, style, lang) == expected


def test_a_neutral_time_is_one_that_the_text_does_not_give(modules):
    """Of a claim about a change one year moves, and the order of the two stays."""
    moved = modules["figure_pairs"].moved_times((2015, 2018), [2012, 2020], "change", random.Random(1))

    assert moved in {(2012, 2018), (2015, 2020)}
