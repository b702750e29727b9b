"""training/: the written corpus as rows."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

GROUP = {
    "subject": "Ferries",
    "domain": "transport",
    "lang": "en",
    "passages": ["The ferry was closed in 2019.", "The ferry still sails.", "Tickets cost four euros."],
    "genres": ["news", "notice", "faq"],
    "claims": ["The ferry is closed.", "A ticket costs four euros."],
    "labels": ["EN", "CN", "NE"],
}


@pytest.fixture
def corpus(script):
    script("rows")
    return script("corpus")


@pytest.fixture
def group(corpus, tmp_path: Path):
    (tmp_path / "en_test.jsonl").write_text(json.dumps(GROUP) + "\n", "utf-8")
    return corpus.read_groups(tmp_path)[0]


def test_every_passage_meets_every_claim(corpus, group):
    """The matrix of labels is read row by row: what passage i does to claim j."""
    rows = [(row.premise, row.hypothesis, row.label) for row in corpus.pairs_of(group)]

    assert rows == [
        ("The ferry was closed in 2019.", "The ferry is closed.", "E"),
        ("The ferry was closed in 2019.", "A ticket costs four euros.", "N"),
        ("The ferry still sails.", "The ferry is closed.", "C"),
        ("The ferry still sails.", "A ticket costs four euros.", "N"),
        ("Tickets cost four euros.", "The ferry is closed.", "N"),
        ("Tickets cost four euros.", "A ticket costs four euros.", "E"),
    ]


def test_a_silent_passage_beside_another_changes_no_label(corpus, group):
    """A page's paragraph rarely holds the deciding sentence alone; the label stays that of the passage that decides."""
    rows = {(row.hypothesis, row.label) for row in corpus.joined_pairs(group, random.Random(0))}

    assert rows == {
        ("The ferry is closed.", "E"),
        ("The ferry is closed.", "C"),
        ("A ticket costs four euros.", "N"),
        ("A ticket costs four euros.", "E"),
    }


def test_a_title_stands_before_the_passage(corpus, group):
    """As the product reads a page: what it is about, then what it says."""
    row = next(corpus.pairs_of(group))

    assert corpus.titled(row, "Ferries").premise == "Ferries. The ferry was closed in 2019."


@pytest.mark.parametrize(
    ("passage", "lang", "read"),
    [
        ("Ferries\nTimetable.\nIt sails daily.", "en", "Ferries. Timetable. It sails daily."),
        ("渡船\n毎日運航する。", "ja", "渡船。毎日運航する。"),
        ("It sails daily.", "en", "It sails daily."),
        ("a" * 91 + "\nIt sails daily.", "en", "a" * 91 + "\nIt sails daily."),
    ],
    ids=["title-and-heading", "japanese", "no-title", "too-long-for-a-title"],
)
def test_titles_and_headings_are_read_as_sentences(corpus, passage, lang, read):
    """Windows of pages hold them so; a long first line is no title."""
    assert corpus.as_read(passage, lang) == read


def test_the_shipped_corpus_has_whole_matrices_and_both_languages(corpus):
    """119,225 pairs, half of them Japanese; every claim meets passages that treat it differently."""
    groups = corpus.read_groups(Path(corpus.__file__).parent / "corpus")
    pairs: Counter[str] = Counter()
    for group in groups:
        pairs[group.lang] += len(group.passages) * len(group.claims)

    assert pairs == {"en": 57245, "ja": 61404, "mixed": 576}
    assert [g.subject for g in groups if {len(row) for row in g.labels} != {len(g.claims)}] == []


def test_held_out_groups_train_nothing(corpus):
    """A tenth of the groups, by their subject, only measures: no passage of theirs occurs in a training row."""
    groups = corpus.read_groups(Path(corpus.__file__).parent / "corpus")
    trained = {row.hypothesis for row in corpus.training_rows(groups, seed=0)}
    held = {row.hypothesis for row in corpus.held_out_rows(groups)}

    assert (len(held), held & trained) == (len(held), set())


def test_the_voices_that_measure_the_judge_train_nothing(corpus):
    """Every pair of the test set comes from a group that training does not see."""
    folder = Path(corpus.__file__).parent
    groups = corpus.read_groups(folder / "corpus")
    lines = (folder.parent / "benchmarks" / "judge" / "voices.jsonl").read_text("utf-8").splitlines()
    measured = {json.loads(line)["claim"] for line in lines}

    trained = {row.hypothesis for row in corpus.training_rows(groups, seed=0)}

    assert (len(lines), measured & trained) == (1225, set())


WORLD = {
    "subject": "Tram",
    "domain": "transport",
    "lang": "en",
    "pages": [
        {
            "site": "Hexley Council",
            "genre": "minutes",
            "title": "Tram committee",
            "parts": [
                {"heading": "", "text": "The Hexley tram opened in May."},
                {"heading": "Riders", "text": "In June it was 9,000, against 4,000."},
            ],
        }
    ],
    "claims": ["The Hexley tram gained riders.", "The Hexley tram is free."],
    "labels": [["NN", "EN"]],
}


def test_a_part_is_read_behind_its_site_and_the_beginning_of_its_page(corpus, tmp_path: Path):
    """An empty line parts them; of a beginning the name of the site alone is told."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "en_test.jsonl").write_text(json.dumps(WORLD) + "\n", "utf-8")

    rows = [(row.premise, row.label, row.source) for row in corpus.rows_of_world(corpus.read_worlds(tmp_path)[0])]

    beginning = "Hexley Council.\n\nTram committee. The Hexley tram opened in May."
    riders = (
        "Hexley Council. The Hexley tram opened in May.\n\nTram committee. Riders. In June it was 9,000, against 4,000."
    )
    assert rows == [
        (beginning, "N", "pages_en_test"),
        (beginning, "N", "pages_en_test"),
        (riders, "E", "pages_en_test"),
        (riders, "N", "pages_en_test"),
    ]


def test_every_part_of_every_page_has_a_label_for_every_claim(corpus):
    """Five pages of three parts, six claims, as the brief says."""
    folder = Path(__file__).parents[3] / "training" / "corpus"

    misshapen = [
        (world.kind, world.subject)
        for world in corpus.read_worlds(folder)
        if [len(page[2]) for page in world.pages] != [3] * 5
        or [[len(part) for part in page] for page in world.labels] != [[6] * 3] * 5
        or len(world.claims) != 6
        or set("".join("".join(page) for page in world.labels)) - set("ECN")
    ]

    assert misshapen == []
