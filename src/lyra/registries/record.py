"""A record as a text: each fact becomes a sentence, prose stays as it is, and every fact knows its words."""

from collections.abc import Iterable
from dataclasses import replace

from lyra import text
from lyra.model.page import Document, Heading, Passage
from lyra.model.registry import Entity, EntityFact, EntityKind, RegistryRecord
from lyra.names.identifiers import NamedIdentifier
from lyra.word_lists import word_lists

# How a page that is a registry's record names its extractor; the registry follows.
RECORD_PREFIX = "registry:"
# About a paragraph: facts are gathered so that a fragment has some context.
_PARAGRAPH_CHARS = 600
_LONGEST_VALUE = 600


class RecordText:
    """Gathers the paragraphs of a record and the facts in them."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._paragraphs: list[str] = []
        self._facts: list[EntityFact] = []
        self._is_open = False
        self._templates = word_lists("lyra.registries", "sentences", language).groups("sentences")

    def state(self, subject: Entity, predicate: str, value: str | None, object_: Entity | None = None) -> None:
        """Say a fact; one without a value is not said."""
        shown = " ".join((value or "").split())[:_LONGEST_VALUE]
        if not shown:
            return
        (template,) = self._templates[predicate]
        sentence = template.replace("{subject}", subject.name).replace("{value}", shown)
        start = self._append(sentence)
        self._facts.append(EntityFact(subject, predicate, shown, start, start + len(sentence), object_))

    def add_prose(self, paragraph: str) -> None:
        """A paragraph in the words of the source."""
        if paragraph.strip():
            self._paragraphs.append(paragraph.strip())
            self._is_open = False

    def record(self, registry: str, url: str, title: str, date: str | None = None) -> RegistryRecord:
        """All that was gathered."""
        return RegistryRecord(registry, url, title, tuple(self._paragraphs), self.language, tuple(self._facts), date)

    def _append(self, sentence: str) -> int:
        """Put a sentence at the end of the paragraph under way; answers where it begins in the text."""
        joint = "" if self.language == "ja" else " "
        last = self._paragraphs[-1] if self._paragraphs else ""
        if not self._is_open or len(last) + len(joint) + len(sentence) > _PARAGRAPH_CHARS:
            self._paragraphs.append(sentence)
        else:
            self._paragraphs[-1] = f"{last}{joint}{sentence}"
        self._is_open = True
        return len("\n\n".join(self._paragraphs)) - len(sentence)


def record_document(record: RegistryRecord) -> Document:
    """The record as located passages under its title."""
    passages: list[Passage] = []
    place = 0
    for index, paragraph in enumerate(record.paragraphs):
        end = place + len(paragraph)
        passages.append(Passage(paragraph, place, end, headings=(Heading(1, record.title),), element_index=index))
        place = end + len("\n\n")
    return Document(
        title=record.title,
        text=record.text,
        language=record.language if record.language in ("en", "ja") else text.language_of(record.text),
        date=record.date,
        page_type="registry",
        passages=tuple(passages),
        extractor=f"{RECORD_PREFIX}{record.registry}",
    )


def organisation(name: str, *identifiers: NamedIdentifier | None) -> Entity:
    """An organisation with those of the numbers that are right."""
    return Entity(EntityKind.ORGANISATION, name, tuple(one for one in identifiers if one is not None))


def person(name: str) -> Entity:
    return Entity(EntityKind.PERSON, name)


def domain(name: str) -> Entity:
    """A domain, known by its name."""
    plain = name.lower().rstrip(".")
    return numbered(EntityKind.DOMAIN, plain, "domain", plain)


def numbered(kind: EntityKind, name: str, scheme: str, value: str) -> Entity:
    """An entity that one scheme knows by a number."""
    return Entity(kind, name, (NamedIdentifier(scheme, value),))


def with_address(records: Iterable[RegistryRecord], url: str) -> tuple[RegistryRecord, ...]:
    """Records whose answer does not say their address, at the one given."""
    return tuple(replace(record, url=url) for record in records)
