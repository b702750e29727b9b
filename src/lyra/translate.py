"""Sentences for people in their language: the code says them in English, `translations/` has them in Japanese.

A catalogue is a folder of YAML files, one for each part of Lyra, that map an English sentence to the same sentence in
another language. Both have the same `{names}` for what is filled in:

    "There is no task {task_id}.": "タスク {task_id} はありません。"

`say` fills in a sentence. `translate` takes one that is filled in already, such as the message of an error or a reason
that was stored in English: it finds the sentence it was made from. What the catalogue does not have stays in English.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import yaml

from lyra.errors import InvalidParams

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_PLACE = re.compile(r"\{([a-z_0-9]+)\}")
_VARIABLES = ("LYRA_LANG", "LC_ALL", "LC_MESSAGES", "LANG")  # the first that says anything decides, as in POSIX
_language: ContextVar[Language] = ContextVar("language", default="en")


def language() -> Language:
    """The language in which sentences are said now."""
    return _language.get()


def use_language(name: Language) -> None:
    """Say sentences in this language from now on."""
    _language.set(name)


@contextmanager
def in_language(name: Language) -> Iterator[None]:
    """Say sentences in this language within the block."""
    token = _language.set(name)
    try:
        yield
    finally:
        _language.reset(token)


def preferred_language(name: str | None, environment: Mapping[str, str]) -> Language:
    """The language that was asked for by name, or else that of the locale; English where Lyra does not speak it."""
    if name is not None:
        for known in LANGUAGES:
            if name == known:
                return known
        raise InvalidParams(f"Lyra has no messages in {name[:20]!r}.", remedy="Use en or ja.")
    locale = next((environment[variable] for variable in _VARIABLES if environment.get(variable)), "")
    return next((known for known in LANGUAGES if re.split(r"[_.@-]", locale)[0].lower() == known), "en")


def say(sentence: str, /, **values: Any) -> str:
    """An English sentence with what is filled in, in the language of now."""
    found = _catalogue(language()).sentences.get(sentence, sentence)
    return _PLACE.sub(lambda place: str(values[place[1]]), found) if values else found


def translate(text: str) -> str:
    """A sentence that was filled in before, in the language of now; unchanged where no sentence of Lyra fits it."""
    return _catalogue(language()).translate(text)


def has_sentence(sentence: str, name: Language) -> bool:
    """Whether the catalogue of a language has an English sentence."""
    return name == "en" or sentence in _catalogue(name).sentences


@dataclass(frozen=True, slots=True)
class _Catalogue:
    sentences: Mapping[str, str]
    patterns: tuple[tuple[re.Pattern[str], str], ...]

    def translate(self, text: str) -> str:
        exact = self.sentences.get(text)
        if exact is not None:
            return exact
        for pattern, sentence in self.patterns:
            found = pattern.fullmatch(text)
            if found:
                values = {name: self.sentences.get(value, value) for name, value in found.groupdict().items()}
                return _PLACE.sub(lambda place, values=values: values[place[1]], sentence)  # type: ignore[misc]
        return text


@cache
def _catalogue(name: Language) -> _Catalogue:
    """All files of a language, as one; patterns with more words of their own are tried first."""
    sentences: dict[str, str] = {}
    if name != "en":
        folder = files("lyra").joinpath("translations", name)
        for path in sorted(folder.iterdir(), key=lambda path: path.name):
            sentences |= yaml.safe_load(path.read_text("utf-8")) or {}
    filled = sorted((one for one in sentences if _PLACE.search(one)), key=lambda one: -len(_PLACE.sub("", one)))
    return _Catalogue(sentences, tuple((_pattern(one), sentences[one]) for one in filled))


def _pattern(sentence: str) -> re.Pattern[str]:
    """What matches a sentence whatever was filled in; a name that occurs twice stands for the same text."""
    known: set[str] = set()
    parts: list[str] = []
    for number, part in enumerate(_PLACE.split(sentence)):
        if number % 2 == 0:
            parts.append(re.escape(part))
        else:
            parts.append(f"(?P={part})" if part in known else f"(?P<{part}>.+?)")
            known.add(part)
    return re.compile("".join(parts), re.DOTALL)
