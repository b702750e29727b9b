"""Bibliographies as cited works: BibTeX, RIS and CSL-JSON."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from lyra.errors import InvalidParams
from lyra.model.audit import CitedWork
from lyra.model.page import identifiers_in

FORMATS = (".bib", ".ris", ".json")
MAX_WORKS = 5000
_ENTRY = re.compile(r"@\s*(?P<kind>\w+)\s*[{(]\s*(?P<key>[^,\s{}()]{0,200})\s*,")
# In an entry: an escaped character, a bracket, or a line that begins the next entry.
_MARK = re.compile(r"\\.|[{}()]|(?P<next>\n[ \t]*@[ \t]*\w+[ \t]*[{(][^,\s{}()=]{0,200}[ \t]*,)", re.DOTALL)
_LONGEST_ENTRY = 50_000
_SHOWN_OF_BROKEN = 200
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w-]{0,40})\s*=\s*")
_NO_WORKS = frozenset({"comment", "preamble", "string"})
_ACCENT = re.compile(r"\\([`'^\"~=.uvHtcdbk])\s*\{?\\?([A-Za-z])\}?")
_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307"}
_ACCENTS |= {"u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328"}
_LETTERS = {"ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı"}
_ADDRESS = re.compile(r"https?://[^\s{}<>]+")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


def read_bibliography(text: str, suffix: str, most: int = MAX_WORKS) -> tuple[CitedWork, ...]:
    """The works of a file with this ending. Raises InvalidParams where it holds none."""
    readers = {".bib": _bibtex, ".ris": _ris, ".json": _csl}
    found = tuple(work for _, work in zip(range(most), readers[suffix](text), strict=False))
    if not found:
        raise InvalidParams(
            "The bibliography has no entry that can be read.", remedy="Export it again as BibTeX, RIS or CSL-JSON."
        )
    return found


def _bibtex(text: str) -> Iterator[CitedWork]:
    at = 0
    while match := _ENTRY.search(text, at):
        end = _entry_end(text, match)
        at = max(abs(end), match.end())
        if match["kind"].lower() in _NO_WORKS:
            continue
        line, whole = text.count("\n", 0, match.start()) + 1, text[match.start() : at + 1]
        if end < 0:
            yield CitedWork(match["key"], whole[:_SHOWN_OF_BROKEN], line, is_broken=True)
        else:
            yield _work(match["key"], whole, line, dict(_bibtex_fields(text[match.end() : end])))


def _entry_end(text: str, entry: re.Match[str]) -> int:
    """Where an entry ends; negative where it is never closed: there the next one begins, or the text ends."""
    start, depth = entry.end(), 0
    closing = ")" if "(" in entry[0][: entry.start("key") - entry.start()] else "}"
    for match in _MARK.finditer(text, start, start + _LONGEST_ENTRY):
        if match["next"] is not None:
            return -match.start()
        if match[0] == closing and depth == 0:
            return match.start()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return -min(len(text), start + _LONGEST_ENTRY)


def _closing(text: str, start: int) -> int:
    """Where the value that was opened before `start` ends."""
    depth = 1
    for match in re.finditer(r"\\.|[{}]", text[start : start + _LONGEST_ENTRY], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return start + match.start()
    return min(len(text), start + _LONGEST_ENTRY)


def _bibtex_fields(body: str) -> Iterator[tuple[str, str]]:
    at = 0
    while match := _FIELD.search(body, at):
        value, at = _bibtex_value(body, match.end())
        yield match["name"].lower(), value


def _bibtex_value(body: str, at: int) -> tuple[str, int]:
    if body[at : at + 1] == "{":
        end = _closing(body, at + 1)
        return _plain(body[at + 1 : end]), end + 1
    if body[at : at + 1] == '"':
        end = body.find('"', at + 1)
        end = len(body) if end < 0 else end
        return _plain(body[at + 1 : end]), end + 1
    end = next((place for place in (body.find(",", at), body.find("\n", at)) if place >= 0), len(body))
    return body[at:end].strip(), end


def _plain(tex: str) -> str:
    """TeX's accents and escapes as characters, braces away."""
    accented = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS.get(match[1], "")), tex)
    letters = re.sub(r"\\([A-Za-z]{1,2})(?![A-Za-z])\s?", lambda match: _LETTERS.get(match[1], match[0]), accented)
    return " ".join(re.sub(r"\\([%&#$_{}])|[{}]", lambda match: match[1] or "", letters).replace("~", " ").split())


def _ris(text: str) -> Iterator[CitedWork]:
    fields: dict[str, str] = {}
    start = 0
    raw: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"\s*([A-Z][A-Z0-9])  ?-\s?(.*)$", line)
        tag, value = (match[1], match[2].strip()) if match else ("", "")
        if tag == "TY":
            fields, start, raw = {}, number, []
        raw.append(line)
        if tag == "ER":
            yield _work(fields.get("id", ""), "\n".join(raw), start, fields)
        elif name := _RIS.get(tag):
            joiner = _JOINERS.get(name)
            fields[name] = f"{fields[name]}{joiner}{value}" if joiner and name in fields else value


_RIS = {"TI": "title", "T1": "title", "AU": "author", "A1": "author", "PY": "year", "Y1": "year", "DO": "doi"}
_RIS |= {"UR": "url", "AN": "note", "ID": "id", "AB": "abstract", "N2": "abstract", "L1": "file"}
_JOINERS = {"author": " and ", "file": ";"}


def _csl(text: str) -> Iterator[CitedWork]:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InvalidParams(f"The bibliography is not JSON: {exc}") from exc
    for item in items if isinstance(items, list) else [items]:
        if isinstance(item, Mapping):
            key = str(item.get("id") or "")
            line = text.count("\n", 0, max(0, text.find(json.dumps(key, ensure_ascii=False)))) + 1
            yield _work(key, json.dumps(item, ensure_ascii=False)[:2000], line, _csl_fields(item))


def _csl_fields(item: Mapping[str, Any]) -> dict[str, str]:
    people = item.get("author")
    names = [one for one in people if isinstance(one, Mapping)] if isinstance(people, list) else []
    issued = item.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, Mapping) else None
    year = parts[0][0] if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0] else ""
    return {
        "title": str(item.get("title") or ""),
        "author": " and ".join(
            f"{one.get('family') or one.get('literal') or ''}, {one.get('given') or ''}".strip(", ") for one in names
        ),
        "year": str(year),
        "doi": str(item.get("DOI") or ""),
        "pmid": str(item.get("PMID") or ""),
        "url": str(item.get("URL") or ""),
        "abstract": str(item.get("abstract") or ""),
    }


def _work(key: str, text: str, line: int, fields: Mapping[str, str]) -> CitedWork:
    year = _YEAR.search(fields.get("year", "") or fields.get("date", ""))
    pmid = fields.get("pmid", "").strip()
    eprint = fields.get("eprint", "").strip()
    is_arxiv = "arxiv" in f"{fields.get('archiveprefix', '')}{fields.get('eprinttype', '')}".lower()
    places = (
        fields.get("doi", ""),
        fields.get("url", ""),
        fields.get("note", ""),
        f"PMID: {pmid}" if pmid else "",
        f"arXiv:{eprint}" if eprint and is_arxiv else "",
    )
    address = _ADDRESS.search(f"{fields.get('url', '')} {fields.get('howpublished', '')} {fields.get('note', '')}")
    authors = tuple(one.strip() for one in re.split(r"\s+and\s+", fields.get("author", "")) if one.strip())
    return CitedWork(
        key,
        text,
        line,
        fields.get("title", ""),
        authors,
        int(year[0]) if year else None,
        identifiers_in(*places),
        fields.get("url", "") or (address[0] if address else ""),
        abstract=fields.get("abstract", ""),
        files=_files(fields.get("file", "")),
    )


def _files(field: str) -> tuple[str, ...]:
    """Paths of attachments: plain, or `description:path:type` as JabRef and Zotero write them; semicolons part them."""
    paths = []
    for one in re.split(r"(?<!\\);", field):
        parts = [part.replace("\\:", ":").replace("\\;", ";") for part in re.split(r"(?<!\\):(?!//)", one.strip())]
        path = parts[1] if len(parts) == 3 else one.strip()
        paths.append(path.replace("\\\\", "\\"))
    return tuple(path for path in paths if path)
