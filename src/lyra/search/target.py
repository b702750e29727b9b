"""Recognises a query that is not a question but an address or the identifier of a paper."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.errors import InvalidParams
from lyra.model.page import Identifier
from lyra.urls import ARXIV_ID, find_dois, is_web_url

_DOI = re.compile(r"(?:doi(?:\s*:\s*|\s+)|(?:https?://)?(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_PMID = re.compile(r"(?:PMID:?\s*|(?:https?://)?pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,9})/?", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv(?:\s*:\s*|\s+)|(?:https?://)?(?:www\.)?arxiv\.org/(?:abs|pdf|html)/)?"
    rf"({ARXIV_ID})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)


_FOREIGN = re.compile(
    r"(?!https?:)[a-z][a-z0-9+.-]*://\S*|(?:javascript|data|mailto|about|blob|view-source|file):\S+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Url:
    """The query is an address: fetch it instead of asking engines."""

    url: str


def recognise(query: str) -> Url | Identifier | None:
    """The target that the whole query names, or none where it is a question."""
    bare = query.strip()
    if " " in bare and not bare.lower().startswith(("doi", "pmid", "arxiv")):
        return None
    if (match := _DOI.fullmatch(bare)) and (found := find_dois(match[1])):
        return Identifier("doi", found[0])
    if match := _PMID.fullmatch(bare):
        return Identifier("pmid", match[1])
    if match := _ARXIV.fullmatch(bare):
        return Identifier("arxiv", match[1].lower())
    return Url(bare) if is_web_url(bare) else None


def refuse_foreign(query: str) -> None:
    """An address that is none of the web's must not reach an engine as words: it may name a file of this machine. One
    with a password in it must not be kept."""
    bare = query.strip()
    if is_web_url(bare) and "@" in urlsplit(bare).netloc:
        raise InvalidParams(
            "Addresses that carry a user name or password are not fetched.",
            remedy="Give the address without them; a page behind a log-in waits for a person in the queue.",
        )
    if _FOREIGN.fullmatch(bare):
        raise InvalidParams(
            "Only addresses of the web (http, https) can be fetched.",
            remedy="Give an http or https address, a DOI, a PMID, an arXiv id, or words to search for.",
        )
