"""Word lists as data: what files may say, and how a broken one is told."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from lyra.errors import WordListError
from lyra.word_lists import WordLists, word_lists

_PACKAGES = (
    "lyra.academic",
    "lyra.claims",
    "lyra.evidence",
    "lyra.extract",
    "lyra.fetch",
    "lyra.search",
    "lyra.security",
)
# Subjects that add to the words of another one.
_READ_WITH = {"origins": "persons", "speakers": "persons"}
_PACKAGED = [(package, file) for package in _PACKAGES for file in files(package).joinpath("words").iterdir()]


def _lists(folder: Path, *sources: str) -> WordLists:
    paths = [folder / f"subject.{at}.yaml" for at in range(len(sources))]
    for path, source in zip(paths, sources, strict=True):
        path.write_text(source, encoding="utf-8")
    return WordLists(paths)


def test_words_are_a_list_or_one_text(tmp_path: Path) -> None:
    """A list is needed only where a word has a blank; what YAML takes for a truth value is a word here."""
    lists = _lists(tmp_path, "words:\n  short: no on 1\n  long: [New York, no]\n")

    assert (lists.words("short"), lists.words("long")) == (("no", "on", "1"), ("New York", "no"))


def test_groups_and_numbers(tmp_path: Path) -> None:
    """Names with their words, and words with their numbers."""
    lists = _lists(tmp_path, "groups: {colours: {red: rot rouge}}\nnumbers: {spelled: {two: 2, half: 0.5}}\n")

    assert lists.groups("colours") == {"red": ("rot", "rouge")}
    assert lists.numbers("spelled") == {"two": 2.0, "half": 0.5}


def test_a_pattern_is_any_of_its_alternatives_in_any_case(tmp_path: Path) -> None:
    """A list in a pattern's place is a choice."""
    pattern = _lists(tmp_path, r"patterns: {fruit: ['apples?', pear]}").pattern("fruit")

    assert pattern.findall("Apples, apple and PEAR") == ["Apples", "apple", "PEAR"]


def test_a_cased_pattern_keeps_case_beside_one_that_does_not(tmp_path: Path) -> None:
    """Both sections may have alternatives of one name."""
    pattern = _lists(tmp_path, r"{patterns: {who: [we]}, cased_patterns: {who: ['\bUS\b']}}").pattern("who")

    assert pattern.findall("WE, US and us") == ["WE", "US"]


def test_names_in_braces_stand_for_parts_lists_groups_and_numbers(tmp_path: Path) -> None:
    """Words stand for themselves, the longer ones first; parts are expressions and may use other parts."""
    lists = _lists(
        tmp_path,
        "words: {signs: [a.b, a.bc]}\ngroups: {towns: {x: Oslo Rome}}\nnumbers: {counts: {two: 2}}\n"
        "parts: {count: ['{counts}', '\\d+'], all: ['{signs}', '{towns}', '{count}']}\npatterns: {all: '^{all}$'}\n",
    )

    found = [text for text in ("a.bc", "aXbc", "rome", "two", "17", "three") if lists.pattern("all").search(text)]

    assert found == ["a.bc", "rome", "two", "17"]


def test_longer_words_are_tried_first(tmp_path: Path) -> None:
    """Where one word begins another, the whole of the longer one is found."""
    lists = _lists(tmp_path, "words: {towns: [York, Yorkshire]}\npatterns: {town: '{towns}'}\n")

    assert lists.pattern("town").findall("Yorkshire and York") == ["Yorkshire", "York"]


def test_an_empty_pattern_matches_nothing(tmp_path: Path) -> None:
    """A language that has no such words says so."""
    assert _lists(tmp_path, "patterns: {none: []}").pattern("none").search("anything") is None


def test_files_of_several_languages_are_read_as_one(tmp_path: Path) -> None:
    """What has the same name is joined: lists, groups and alternatives."""
    lists = _lists(
        tmp_path,
        "words: {all: one}\ngroups: {units: {yen: [yen]}}\nparts: {no: [not]}\npatterns: {no: '{no}'}\n",
        "words: {all: 一}\ngroups: {units: {yen: [円], day: [日]}}\nparts: {no: [ない]}\n",
    )

    assert lists.words("all") == ("one", "一")
    assert lists.groups("units") == {"yen": ("yen", "円"), "day": ("日",)}
    assert lists.pattern("no").findall("not, ない") == ["not", "ない"]


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("[", ""),
        ("just text", ""),
        ("wrods: {a: b}", "wrods"),
        ("words: [a]", "words"),
        ("words: {a: {b: c}}", "words.a"),
        ("words: {a: [b, [c]]}", "words.a"),
        ("patterns: {a: ''}", "patterns.a"),
        ("groups: {a: {b: {c: d}}}", "groups.a.b"),
        ("numbers: {a: {two: zwei}}", "numbers.a.two"),
        ("words: {a: b}\nparts: {a: b, a: c}", "a"),
    ],
    ids=["not YAML", "no sections", "unknown section", "section without names", "mapping for words", "list in a list",
         "empty pattern", "too deep", "no number", "given twice"],
)  # fmt: skip
def test_a_broken_file_is_an_error_that_names_file_and_key(tmp_path: Path, source: str, key: str) -> None:
    """Whoever changed the file sees where."""
    with pytest.raises(WordListError) as caught:
        _lists(tmp_path, source)

    assert caught.value.details == {"file": "subject.0.yaml", "key": key}
    assert caught.value.code == "INTERNAL_ERROR"


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("patterns: {a: '('}", "patterns.a"),
        ("patterns: {a: '{b}'}", "words.b"),
        ("parts: {b: '{c}', c: '{b}'}\npatterns: {a: '{b}'}", "parts.b"),
        ("words: {b: c}", "patterns.a"),
    ],
    ids=["no expression", "unknown part", "part that uses itself", "missing"],
)
def test_a_broken_pattern_is_an_error_that_names_file_and_key(tmp_path: Path, source: str, key: str) -> None:
    """Patterns are looked at when they are first needed."""
    lists = _lists(tmp_path, source)

    with pytest.raises(WordListError) as caught:
        lists.pattern("a")

    assert caught.value.details == {"file": "subject.0.yaml", "key": key}


def test_a_missing_file_is_named() -> None:
    """An installation without its data says which file it lacks."""
    with pytest.raises(WordListError) as caught:
        word_lists("lyra.claims", "nothing", "en")

    assert caught.value.details == {"file": "nothing.en.yaml", "key": ""}


def test_several_subjects_are_read_as_one() -> None:
    """A list that two of them have is one list."""
    shared, own = (word_lists("lyra.evidence", one, "en").words("titles") for one in ("persons", "speakers"))

    assert word_lists("lyra.evidence", ("persons", "speakers"), "en").words("titles") == shared + own


def test_files_are_read_once() -> None:
    """The second call gives what the first one read."""
    assert word_lists("lyra.claims", "verbs", "en") is word_lists("lyra.claims", "verbs", "en")


@pytest.mark.parametrize(("package", "file"), _PACKAGED, ids=[file.name for _, file in _PACKAGED])
def test_every_pattern_that_comes_with_lyra_compiles(package: str, file: Path) -> None:
    """A slip in a data file shows here and not on a user's page."""
    sections = yaml.safe_load(file.read_text(encoding="utf-8"))
    names = [*sections.get("patterns", ()), *sections.get("cased_patterns", ())]
    subject, _, _ = file.name.split(".")
    languages = sorted(other.name.split(".")[1] for other in file.parent.glob(f"{subject}.*.yaml"))
    subjects = (_READ_WITH[subject], subject) if subject in _READ_WITH else subject

    compiled = [word_lists(package, subjects, *languages).pattern(name).pattern for name in names]

    assert [pattern for pattern in compiled if re.search(r"\{[a-z_]+\}", pattern)] == []
