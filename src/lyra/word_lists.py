"""Word lists and patterns as data: one YAML file for each subject and language, read once, when first needed.

The files stand in `words/` of the package that uses them, as `subject.language.yaml`, with any of these sections:

    words           name: words, as a list, or as one text with blanks between them
    groups          name: a mapping of names to words
    numbers         name: a mapping of words to the numbers they stand for
    parts           name: regular expressions that others use
    patterns        name: regular expressions, without regard to case
    cased_patterns  name: regular expressions, with regard to case; added to the pattern of that name, if there is one

Several expressions are alternatives; none match nothing. `{name}` in an expression stands for the part of that name, or
for any word of the list, the groups or the numbers of that name. Files of several languages or subjects may be read as
one: what has the same name is joined.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lyra.errors import WordListError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_SECTIONS = ("words", "groups", "numbers", "parts", "patterns", "cased_patterns")
_NAMED = re.compile(r"\{([a-z_]+)\}")
_NOTHING = "(?!)"


@cache
def word_lists(package: str, subject: str | tuple[str, ...], *languages: str) -> "WordLists":
    """The lists of a subject, or of several, that a package has for these languages, as one."""
    folder = files(package).joinpath("words")
    subjects = (subject,) if isinstance(subject, str) else subject
    return WordLists([folder.joinpath(f"{one}.{language}.yaml") for one in subjects for language in languages])


class WordLists:
    """The lists of some files. Every broken file, missing name or wrong expression is a `WordListError`."""

    def __init__(self, paths: "Iterable[Traversable]") -> None:
        self._name = ""
        self._sections: dict[str, dict[str, Any]] = {section: {} for section in _SECTIONS}
        self._patterns: dict[str, re.Pattern[str]] = {}
        for path in paths:
            self._name += f" and {path.name}" if self._name else path.name
            for section, entries in _read(path).items():
                own = self._sections[section]
                own |= {key: _joined(own[key], value) if key in own else value for key, value in entries.items()}

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a list, in order."""
        found: tuple[str, ...] = self._entry("words", name)
        return found

    def groups(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """Names, each with its words."""
        found: Mapping[str, tuple[str, ...]] = self._entry("groups", name)
        return found

    def numbers(self, name: str) -> Mapping[str, float]:
        """Words, each with its number."""
        found: Mapping[str, float] = self._entry("numbers", name)
        return found

    def part(self, name: str) -> str:
        """The text of an expression: a part, or any word of a list, of groups or of numbers, longer words first."""
        return self._part(name, ())

    def pattern(self, name: str) -> re.Pattern[str]:
        """What an entry of `patterns`, of `cased_patterns`, or both together, matches."""
        if name not in self._patterns:
            self._patterns[name] = self._compiled(name)
        return self._patterns[name]

    def _compiled(self, name: str) -> re.Pattern[str]:
        plain, cased = self._expression("patterns", name), self._expression("cased_patterns", name)
        if plain is None and cased is None:
            raise WordListError(self._name, f"patterns.{name}", "is missing")
        expression = f"(?i:{plain})|{cased}" if plain and cased else plain or cased or _NOTHING
        try:
            return re.compile(expression, 0 if cased else re.IGNORECASE)
        except re.error as exc:
            raise WordListError(self._name, f"patterns.{name}", f"is not a regular expression: {exc}") from exc

    def _expression(self, section: str, name: str) -> str | None:
        found = self._sections[section].get(name)
        return None if found is None else _any(self._filled(one, ()) for one in found)

    def _filled(self, expression: str, users: tuple[str, ...]) -> str:
        """The expression with all parts in their places; `users` are the parts that it is a part of."""
        return _NAMED.sub(lambda found: f"(?:{self._part(found[1], users)})", expression)

    def _part(self, name: str, users: tuple[str, ...]) -> str:
        if name in users:
            raise WordListError(self._name, f"parts.{name}", "uses itself")
        if name in self._sections["parts"]:
            return _any(self._filled(one, (*users, name)) for one in self._sections["parts"][name])
        grouped = self._sections["groups"].get(name, {}).values()
        words = self._sections["numbers"].get(name) or [word for group in grouped for word in group] or self.words(name)
        return _any(map(re.escape, sorted(words, key=len, reverse=True)))

    def _entry(self, section: str, name: str) -> Any:
        try:
            return self._sections[section][name]
        except KeyError:
            raise WordListError(self._name, f"{section}.{name}", "is missing") from None


def _any(expressions: Iterable[str]) -> str:
    return "|".join(expressions)


def _joined(known: Any, more: Any) -> Any:
    """Two lists as one, or two mappings, whose values are joined where both have a key; of two numbers the second."""
    if not isinstance(known, dict):
        return known + more if isinstance(known, tuple) else more
    return known | {key: _joined(known[key], value) if key in known else value for key, value in more.items()}


def _read(path: "Traversable") -> dict[str, dict[str, Any]]:
    """The sections of a file, checked."""
    loaded = _loaded(path)
    if not isinstance(loaded, dict):
        raise WordListError(path.name, "", "has no sections")
    sections: dict[str, dict[str, Any]] = {}
    for section, entries in loaded.items():
        if section not in _SECTIONS:
            raise WordListError(path.name, str(section), f"is not one of the sections {', '.join(_SECTIONS)}")
        read = _READERS.get(section, _texts)
        named = _mapping(path.name, section, entries)
        sections[section] = {name: read(path.name, f"{section}.{name}", value) for name, value in named.items()}
    return sections


def _loaded(path: "Traversable") -> Any:
    import yaml  # lazy: start-up needs no list

    try:
        # Every scalar is text to this loader: "no" is a word here and no truth value.
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(path.read_text(encoding="utf-8"))
        try:
            node = loader.get_single_node()
            _check_keys(path.name, node)
            return loader.construct_document(node) if node else None
        finally:
            loader.dispose()
    except (OSError, ValueError, yaml.YAMLError) as exc:
        raise WordListError(path.name, "", f"cannot be read: {exc}") from exc


def _check_keys(file: str, node: Any) -> None:
    """Refuse a key that is given twice, of which YAML would keep the last."""
    seen: set[str] = set()
    for key, value in node.value if node is not None and node.id == "mapping" else ():
        if key.value in seen:
            raise WordListError(file, str(key.value), "is given twice")
        seen.add(key.value)
        _check_keys(file, value)


def _mapping(file: str, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise WordListError(file, key, "must be a mapping")
    return value


def _texts(file: str, key: str, value: Any) -> tuple[str, ...]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise WordListError(file, key, "must be text or a list of texts, none of them empty")
    return tuple(found)


def _words(file: str, key: str, value: Any) -> tuple[str, ...]:
    return tuple(value.split()) if isinstance(value, str) else _texts(file, key, value)


def _groups(file: str, key: str, value: Any) -> dict[str, tuple[str, ...]]:
    return {name: _words(file, f"{key}.{name}", words) for name, words in _mapping(file, key, value).items()}


def _numbers(file: str, key: str, value: Any) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, number in _mapping(file, key, value).items():
        try:
            found[name] = float(number)
        except (TypeError, ValueError):
            raise WordListError(file, f"{key}.{name}", "must be a number") from None
    return found


_READERS = {"words": _words, "groups": _groups, "numbers": _numbers}
