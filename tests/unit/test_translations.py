"""The Japanese catalogue: it has every sentence that the code says, and none besides."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
PLACE = re.compile(r"\{[a-z][a-z_0-9]*\}")


@pytest.fixture(scope="module")
def lister() -> Iterator[ModuleType]:
    """scripts/missing_translations.py, which prints what these tests find."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        import missing_translations

        yield missing_translations
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def said(lister: ModuleType) -> dict[str, str]:
    return {**lister.code_sentences(), **lister.help_sentences()}


def test_no_sentence_is_missing(lister: ModuleType, said: dict[str, str]) -> None:
    """Complete the catalogue with what `python scripts/missing_translations.py` prints."""
    assert lister.missing(said) == {}


def test_no_entry_is_left_over(lister: ModuleType, said: dict[str, str]) -> None:
    """What no code says any more is removed from its file."""
    assert lister.unused(said) == {}


def test_translations_fill_in_what_the_sentence_has(lister: ModuleType) -> None:
    """Both sides of an entry have the same names."""
    entries = [pair for file in lister.catalogue().values() for pair in file.items()]

    assert [pair for pair in entries if set(PLACE.findall(pair[0])) != set(PLACE.findall(pair[1]))] == []


def test_a_sentence_is_translated_in_one_way(lister: ModuleType) -> None:
    """Two files may share a sentence, but not say it differently."""
    pairs = {pair for file in lister.catalogue().values() for pair in file.items()}
    sentences = [sentence for sentence, _ in pairs]

    assert sorted({one for one in sentences if sentences.count(one) > 1}) == []


SOURCE = '''
from lyra.errors import LyraError
from part.words import HINT, __version__

_REMEDY = "Mend it."
_WAYS = {"a": "by hand", "b": "by rule"}


class Broken(LyraError):
    """Broken."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"The file {file} {problem}.", remedy=_REMEDY)


def checked(task, names, exc, as_json):
    if as_json:
        raise Broken(task.file, "has no lines")
    if names:
        raise LyraError(f"{len(names)} of {task.id[:60]!r} fit {names} and {exc.id}.", remedy=HINT)
    kept = f" The old one: {task.path}" if task.path else ""
    raise LyraError(f"Written {_WAYS[task.way]}.{kept}" if task else refusal("it is shut"))


def refusal(why):
    return f"Refused: {why}, version {__version__}." + (" Again." if why else "")


def shown(rows):
    print_table(f"All {len(rows)}", ("state", "page_id"), rows)
    say("{count} done", count=1)
    log("never shown")
    LyraError("lyra task list")
'''


def test_sentences_are_found_by_the_rules_of_the_script(lister: ModuleType, tmp_path: Path) -> None:
    """Constants, parameters, conditions and own constructors are followed; what is filled in has a name."""
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "code.py").write_text(SOURCE, "utf-8")
    (tmp_path / "part" / "words.py").write_text('HINT = "Ask for help."\n__version__ = "1.0 beta"\n', "utf-8")
    (tmp_path / "page.html.j2").write_text("""<h1>{{ say('It\\'s done') }}</h1>""", "utf-8")

    found = lister.code_sentences((tmp_path,))

    assert found == {
        "All {rows}": "part.code",
        "Ask for help.": "part.code",
        "It's done": "page.html.j2",
        "Mend it.": "part.code",
        "Refused: {why}, version {version}.": "part.code",
        "Refused: {why}, version {version}. Again.": "part.code",
        "The file {file} {problem}.": "part.code",
        "Written {ways}.": "part.code",
        "Written {ways}. The old one: {path}": "part.code",
        "by hand": "part.code",
        "by rule": "part.code",
        "has no lines": "part.code",
        "it is shut": "part.code",
        "page_id": "part.code",
        "state": "part.code",
        "{count} done": "part.code",
        "{names} of {id} fit {names_2} and {id_2}.": "part.code",
    }
