"""Cited works that a task has read or the database knows: they are sources even where no catalogue answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from apsw import Connection

from lyra.academic.identity import title_key
from lyra.model.audit import AuditedWork, CitedWork, WorkStatus
from lyra.model.check import Source
from lyra.model.page import Identifier
from lyra.report.audit import messages
from lyra.report.audit.works import LEAST_TITLE_CHARS, LIKE_TITLE, SAME_TITLE, source_of, title_likeness
from lyra.report.check.sources import address_key
from lyra.storage import works

# What the store may add to: a catalogue that found another work under the identifier has the last word.
_OPEN = (WorkStatus.NOT_CHECKED, WorkStatus.NOT_FOUND)


def stored_works(connection: Connection, identifiers: Sequence[Identifier]) -> tuple[Source, ...]:
    """The works that the database has under these identifiers, each once."""
    found = (works.by_identifier(connection, one.kind, one.value) for one in dict.fromkeys(identifiers))
    return tuple({one.id: source_of(one) for one in found if one is not None}.values())


@dataclass(frozen=True, slots=True)
class KnownSources:
    """Pages of a task, and works of the database; both may be empty."""

    pages: tuple[Source, ...] = ()
    works: tuple[Source, ...] = ()

    def completed(self, one: AuditedWork) -> AuditedWork:
        """The work with what is known of it here: that it exists, or that it is retracted."""
        if one.status is not WorkStatus.EXISTS and one.status not in _OPEN:
            return one
        named = _by_identifier(self.pages, one.cited) or _by_identifier(self.works, one.cited)
        sources = named or self._pages_of(one.cited)
        if not sources:
            return one
        source = sources[0]
        if named and one.cited.title and title_likeness(one.cited.title, source.title) < LIKE_TITLE:
            return _with(one, WorkStatus.OTHER_TITLE, messages.OTHER_TITLE, source) if one.status in _OPEN else one
        if any(each.is_retracted for each in sources):
            return _with(one, WorkStatus.RETRACTED, messages.RETRACTED, source)
        if one.status is WorkStatus.EXISTS:
            return one
        return _with(
            one, WorkStatus.EXISTS, messages.READ_BY_TASK if source in self.pages else messages.IN_DATABASE, source
        )

    def _pages_of(self, cited: CitedWork) -> tuple[Source, ...]:
        """The task's pages at the address of a cited work, else those with its title."""
        wanted = address_key(cited.url)
        addressed = [one for one in self.pages if wanted and wanted in map(address_key, (one.url, one.final_url))]
        return tuple(addressed or [one for one in self.pages if _has_title(one, cited)])


def _by_identifier(sources: Sequence[Source], cited: CitedWork) -> tuple[Source, ...]:
    return tuple(one for one in sources if set(one.identifiers) & set(cited.identifiers))


def _has_title(source: Source, cited: CitedWork) -> bool:
    """Whether the titles are the same, and no identifier of one kind speaks against it."""
    mine, theirs = ({one.kind for one in each} for each in (cited.identifiers, source.identifiers))
    if mine & theirs or len(title_key(cited.title)) < LEAST_TITLE_CHARS:
        return False
    return title_likeness(cited.title, source.title) >= SAME_TITLE


def _with(one: AuditedWork, status: WorkStatus, sentence: str, source: Source) -> AuditedWork:
    return replace(
        one,
        status=status,
        sentence=sentence.format(title=source.title),
        found_title=source.title,
        found_authors=source.authors,
        found_year=source.year,
        found_url=source.url,
    )
