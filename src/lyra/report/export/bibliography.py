"""What BibTeX, RIS and CSL-JSON have in common: entries with unique keys, names of people, and notes of quotes."""

import re
import unicodedata
from dataclasses import dataclass

from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim
from lyra.report.export.records import TaskRecords

_NOT_IN_KEYS = re.compile("[^a-z0-9-]")
_BODY = re.compile(
    r"\b(and|association|board|bureau|center|centre|collaboration|collaborative|collaborators|college|committee|"
    r"consortium|council|department|foundation|group|hospital|initiative|institute|investigators|ministry|network|"
    r"office|organi[sz]ation|project|society|study|team|trial|university|working)\b|\d",
    re.IGNORECASE,
)
_JAPANESE_NAME = re.compile("[\u3040-\u30ff\u3400-\u9fff々ヶ]+")
_MOST_NAME_WORDS = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """A source with the key by which it is cited, and what it says of claims."""

    key: str
    source: CitedSource
    quotes: tuple[tuple[ReportClaim, QuotedEvidence], ...]

    @property
    def is_paper(self) -> bool:
        return bool(self.source.venue or self.source.doi)

    @property
    def title(self) -> str:
        return one_line(self.source.title or self.source.url)

    @property
    def authors(self) -> tuple["Author", ...]:
        names = (author(one_line(name), is_paper=self.is_paper) for name in self.source.authors)
        return tuple(one for one in names if one.family)


@dataclass(frozen=True, slots=True)
class Author:
    """A person, or a body or a name that cannot be taken apart, which has no given name."""

    family: str
    given: str = ""

    @property
    def inverted(self) -> str:
        return f"{self.family}, {self.given}" if self.given else self.family


def entries(records: TaskRecords) -> tuple[Entry, ...]:
    """One for each source, each key once, in the order of the sources."""
    counts: dict[str, int] = {}
    taken: set[str] = set()
    found = []
    for source in records.sources:
        stem = _citation_key(source)
        key = stem
        while key in taken:
            counts[stem] = counts.get(stem, 1) + 1
            key = f"{stem}-{counts[stem]}"
        taken.add(key)
        found.append(Entry(key, source, tuple(records.quotes_by_page.get(source.page_id, ()))))
    return tuple(found)


def _citation_key(source: CitedSource) -> str:
    """First author's family name, or a body's last word, or the domain, and the year: smith2020, example-org2021."""
    domain = _NOT_IN_KEYS.sub("", source.domain.lower().replace(".", "-"))
    first = author(source.authors[0], is_paper=True) if source.authors else Author("")
    name = first.family if first.given else first.family.rpartition(" ")[2]
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return f"{_NOT_IN_KEYS.sub('', ascii_name)[:40] or domain[:60] or 'source'}{source.year or ''}"


def author(name: str, *, is_paper: bool) -> Author:
    """A name in its parts: as its comma parts it; of papers also "Jane van der Berg" and "山田 太郎". Of other pages an
    author without a comma may be a body, and stays whole."""
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and "," not in given:
        return Author(family, given)
    words = name.split()
    if not is_paper or not 2 <= len(words) <= _MOST_NAME_WORDS or _BODY.search(name) or comma:
        return Author(name)
    if _JAPANESE_NAME.fullmatch("".join(words)):
        return Author(words[0], words[1]) if len(words) == 2 else Author(name)
    at = next((place for place, word in enumerate(words[1:-1], 1) if word.islower()), len(words) - 1)
    return Author(" ".join(words[at:]), " ".join(words[:at]))


def note_of(claim: ReportClaim, quoted: QuotedEvidence) -> str:
    """A quote on one line: stance, claim, words, their place and the hash of the text they are in, vote and review."""
    vote = f"not counted: {quoted.why_no_vote}" if quoted.no_vote else "counted"
    review = f"reviewed by {quoted.review.reviewer}" if quoted.review else "not reviewed"
    place = f"characters {quoted.char_start}-{quoted.char_end}, text sha256:{quoted.text_hash}"
    words = f"{claim.claim.id} “{claim.claim.claim_text}”: “{quoted.quote}”"
    return one_line(f"{quoted.relation.value} {words} ({place}; {vote}; {review})")


def one_line(text: str) -> str:
    return " ".join(text.split())


def date_parts(date: str | None, year: int | None = None) -> tuple[int, ...]:
    """Year, month and day as far as they are known."""
    found = re.match(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", date or "")
    if found:
        return tuple(int(part) for part in found.groups() if part)
    return (year,) if year else ()
