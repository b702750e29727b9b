"""What a query asks registries for: words, a domain, official numbers, days. Nothing is added to it."""

import re
from dataclasses import dataclass
from datetime import date

from lyra.names.identifiers import CORPORATE_NUMBER, NamedIdentifier, find_identifiers
from lyra.text import nfkc
from lyra.urls import registrable_domain

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:https?://)?((?:{_LABEL}\.)+[a-z][a-z0-9-]{{1,62}})(?:[/:?#]\S*)?", re.IGNORECASE)
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_DAY = re.compile(r"(?<!\d)(\d{4})(?:-(\d{1,2})-(\d{1,2})|年(\d{1,2})月(\d{1,2})日)(?!\d)")


@dataclass(frozen=True, slots=True)
class Question:
    """A query as registries understand it; `words` is empty where it is nothing but a domain or numbers."""

    words: str
    domain: str | None = None
    identifiers: tuple[NamedIdentifier, ...] = ()
    days: tuple[date, ...] = ()

    @property
    def is_japanese(self) -> bool:
        """Kanji alone will do: names of companies and laws often have nothing else."""
        return bool(_JAPANESE.search(self.words))

    def number(self, scheme: str) -> str | None:
        """The first identifier of a scheme."""
        return next((one.value for one in self.identifiers if one.scheme == scheme), None)


def read_question(query: str) -> Question:
    """Take a query apart. Only one that is a host or an address asks for a domain."""
    text = " ".join(nfkc(query).split())
    host = _HOST.fullmatch(text)
    if host is not None:
        return Question("", domain=registrable_domain(host[1].lower()))
    found = find_identifiers(text)
    words = text
    for one in found:
        mark = "T?" if one.scheme == CORPORATE_NUMBER else ""
        words = re.sub(rf"(?i){mark}{re.escape(one.value)}", " ", words)
    days = [day for match in _DAY.finditer(words) if (day := _day(match)) is not None]
    words = " ".join(_DAY.sub(" ", words).split())
    return Question(words, None, found, tuple(dict.fromkeys(days)))


def _day(match: re.Match[str]) -> date | None:
    year, month, day = (int(part) for part in match.groups() if part)
    try:
        return date(year, month, day)
    except ValueError:
        return None
