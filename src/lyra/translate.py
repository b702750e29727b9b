"""Sentences for people in their language: the code says them in English, `translations/` has them in Japanese.

A catalogue is a folder of YAML files, one for each part of Lyra, that map an English sentence to the same sentence in
another language. Both have the same `{names}` for what is filled in:

    "There is no task {task_id}.": "タスク {task_id} はありません。"

`say` fills in a sentence. `translate` takes one that is filled in already, such as the message of an error or a reason
that was stored in English: it finds the sentence it was made from, also within what was filled in. What the catalogue
does not have stays in English; `scripts/missing_translations.py` lists it.
"""

import operator
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from lyra.errors import InvalidParams

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_PLACE = re.compile(r"\{([a-z][a-z_0-9]*)\}")
_MIN_OWN_CHARS = 4  # of a template that `translate` may recognise: "{path}: {reason}." would fit almost anything
_MAX_CHARS = 2000  # of a text that may be a sentence of Lyra
_MAX_DEPTH = 3  # of sentences within sentences
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


@dataclass(frozen=True, slots=True)
class _Template:
    """A sentence with places, and how it is said in the other language; `words` are what stands between the places."""

    english: str
    other: str
    words: tuple[str, ...]

    def fill_in(self, text: str, depth: int, catalogue: "_Catalogue") -> str | None:
        """The text in the other language if it is this sentence, whatever was filled in."""
        found = _pattern(self.english).fullmatch(text) if all(word in text for word in self.words) else None
        if found is None:
            return None
        values = {name: catalogue.translate(value, depth + 1) for name, value in found.groupdict().items()}
        return _PLACE.sub(lambda place: values[place[1]], self.other)


@dataclass(frozen=True, slots=True)
class _Catalogue:
    sentences: Mapping[str, str]
    templates: tuple[_Template, ...]

    def translate(self, text: str, depth: int = 0) -> str:
        exact = self.sentences.get(text)
        if exact is not None or depth > _MAX_DEPTH or len(text) > _MAX_CHARS:
            return text if exact is None else exact
        filled = (template.fill_in(text, depth, self) for template in self.templates)
        found = next((one for one in filled if one is not None), None)
        return found or (self._list(text, depth) if depth and ", " in text else text)

    def _list(self, text: str, depth: int) -> str:
        """What was filled in as a list of known parts, part by part."""
        parts = text.split(", ")
        told = [self.translate(part, depth + 1) for part in parts]
        return "、".join(told) if all(map(operator.ne, parts, told)) else text


@cache
def _catalogue(name: Language) -> _Catalogue:
    """All files of a language, as one; sentences with more words of their own are tried first."""
    sentences = {} if name == "en" else _read(name)
    templates = (
        _Template(one, other, tuple(_PLACE.split(one)[::2])) for one, other in sentences.items() if _PLACE.search(one)
    )
    told_apart = (one for one in templates if sum(map(len, one.words)) >= _MIN_OWN_CHARS)
    return _Catalogue(sentences, tuple(sorted(told_apart, key=lambda one: -sum(map(len, one.words)))))


def _read(name: Language) -> dict[str, str]:
    from importlib.resources import files  # lazy: English, the usual case, reads nothing

    import yaml

    folder = files("lyra").joinpath("translations", name)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    sentences: dict[str, str] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        sentences |= yaml.load(path.read_text("utf-8"), loader) or {}
    return sentences


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    """What matches a sentence whatever was filled in; a name that occurs twice is the same text, a count a number."""
    known: set[str] = set()
    parts: list[str] = []
    for number, part in enumerate(_PLACE.split(sentence)):
        if number % 2 == 0:
            parts.append(re.escape(part))
        else:
            held = r"\d+" if part.endswith("count") else ".*?"
            parts.append(f"(?P={part})" if part in known else f"(?P<{part}>{held})")
            known.add(part)
    return re.compile("".join(parts), re.DOTALL)
