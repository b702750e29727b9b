"""The list of references of a text, and its notes: what each mark of the text stands for."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lyra.report.check.authors import find_author_marks
from lyra.report.check.citations import bracketed_numbers, key_form, raised_numbers
from lyra.report.check.vocabulary import pattern
from lyra.text import nfkc

_HEADING = re.compile(r"^ {0,3}(?:#{1,6}\s+|\*\*|=+\s*)?(?P<words>[^\n#*=]{1,60}?)(?:\s*#*|\*\*|\s*=+)?[:：]?\s*$")
_ATX = re.compile(r"^ {0,3}#{1,6}\s|^\s*<h[1-6][\s>]", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_NOTE = re.compile(r"^ {0,3}\[\^(?P<key>[^\]\s]{1,60})\]:\s*")
_DEFINITION = re.compile(r"^ {0,3}\[(?P<key>[^\]\[^][^\]\[]{0,60})\]:\s*(?=<?https?://)")
# [Smi20], {NEMSO 2025}, 【資料1】: what marks call an entry by.
_LABEL = (
    r"[\[［](?P<label>[^\]］\n]{1,40})[\]］]:?\s+"
    r"|[{｛〔【](?P<label_2>[^{}｛｝〔〕【】\n]{1,40})[}｝〕】][:：]?\s*"
)
_SMALL = r"⁽?(?P<small>[¹²³⁰⁴-⁹]{1,3})⁾?\s*|<sup>\s*(?P<small_2>\d{1,3})\s*</sup>\s*"
# S1:, **S1**, #1, ① and †: other signs that marks call an entry by.
_SIGN = (
    r"(?:(?:[-*+•・]\s+)?(?:\*\*|__)?(?P<code>[A-Z]{1,3}-?\d{1,3})(?:\*\*|__)?(?:[:.)：．]\s*|\s+)(?:[-–—]\s+)?"
    r"|(?:[-*+•・]\s+)?#(?P<hash>\d{1,3})[:.)]?\s+|(?:[-*+•・]\s+)?(?P<circled>[①-⑳])[:.：．]?\s*|\\?(?P<symbol>[†‡§¶]{1,3})\s*)"
)
_ENTRY = re.compile(
    r"^\s{0,6}(?:\.\.\s+)?(?:(?:[-*+•・]\s+)?(?:[\[［〔【〈《(（]?(?P<number>\d{1,3})[\]］〕】〉》)）.．:：]{1,2}\s*|"
    rf"{_LABEL}|{_SMALL}|{_SIGN}"
    r"|(?:※|注|＊|\*)(?P<sign>\d{1,3})[:：.）)]?\s*)|[-*+•・]\s+|<li(?:\s[^<>\n]{0,200})?>\s*)"
)
# How an entry begins where no heading says that a list does.
_MARKED = re.compile(
    r"^ {0,3}(?:[-*+•・]\s+|\.\.\s+)?(?:[\[［](?P<number>\d{1,3})[\]］](?![(:])|(?P<raised>\d{1,3})[)）]"
    rf"|{_LABEL}|{_SMALL}|(?:※|＊|\*)(?P<sign>\d{{1,3}})[:：.）)]?|(?P<circled>[①-⑳])|\\?(?P<symbol>[†‡§¶]{{1,3}}))\s*(?=\S)"
)
# (a), b), C. and iv. before an entry.
_LETTER = re.compile(r"(?:[-*+•・]\s+)?[(（]?(?P<letter>[A-Za-zア-コ]|[ivx]{2,5})(?:[)）.:：．][\s　]*|　+)(?=\S)")
_LETTERS = (
    tuple("abcdefghijklmnopqrstuvwxyz"),
    tuple("アイウエオカキクケコ"),
    ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv"),
)
_KEY_NAMES = (
    *("number", "label", "label_2", "sign", "small_2", "small", "exhibit", "exhibit_h"),
    *("code", "hash", "circled", "symbol"),
)
_MOST_LINES = 8
_LEAST_ENTRIES = 2
_ITEM = re.compile(r"\s{0,6}(?:[-*+•・]|\d{1,3}[.)]|<li(?:\s[^<>\n]{0,200})?>)\s*")
_CITING_SENTENCE = re.compile(r"[(（][^()（）\n]{0,80}(?:https?://|\b10\.\d{4,9}/)[^()（）\n]*[)）][\s)）]*[.。！!?？]")
# How an entry ends that is whole: with a full stop, a year, pages or an address; and how one begins that has no sign.
_WHOLE = re.compile(r"(?:[.。)）\]」』”\d]|(?:https?://|\b10\.\d{4,9}/)\S+)\s*$")
_BEGINS_ENTRY = re.compile(r"\s{0,6}(?!https?://)[“\"'‘「『*_]{0,3}[^\W\d_a-z]")
_NAMES_A_WORK = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)|https?://|\b10\.\d{4,9}/")


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry from `start` to `end` of the text; `key` is what marks call it by, empty where it has none.

    `stands_for` are the texts of the notes that it points to, as "Ibid." and "(n 9)" do.
    """

    key: str
    text: str
    start: int
    end: int
    stands_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def find_references(text: str) -> list[Reference]:
    """Notes and definitions wherever they stand, and the entries below a heading such as "References" or at the end."""
    found: list[Reference] = []
    is_list = False
    lines = _lines(text)
    title = _title_of_prose(lines)
    last_list = _list_at_end(text, lines) or _entries_at_end(lines, _is_named_entry)
    last_list = last_list or _entries_at_end(lines, _is_titled_entry, is_whole=True) or _items_at_end(text, lines)
    for line in lines:
        is_list = is_list or line.start == last_list
        if note := _NOTE.match(line.text) or _DEFINITION.match(line.text):
            sign = "^" if line.text.lstrip().startswith("[^") else ""
            found.append(_reference(line, note.end(), sign + note["key"]))
            continue
        if is_heading(line.text):
            is_list = is_reference_heading(line.text) and line.start != title
        elif is_list and _TAG.sub("", line.text).strip():
            entry = pattern("citing", "exhibit").match(line.text) or _ENTRY.match(line.text)
            is_next = entry is None and _is_letter(line.text, sum(not one.key for one in found))
            is_beside = bool(found) and not _is_apart(text, found[-1].end, line.start)
            goes_on = entry is None and not is_next and is_beside and not _follows_whole_entry(found[-1], line.text)
            if goes_on:
                found[-1] = Reference(found[-1].key, text[found[-1].start : line.end], found[-1].start, line.end)
            else:
                found.append(_reference(line, entry.end() if entry else 0, _key(entry)))
    return _lettered(_numbered_by_place(text, found))


def _follows_whole_entry(before: Reference, line: str) -> bool:
    """Whether a line is an entry of its own below one without a sign, which is whole: they stand one a line."""
    is_whole = not before.key and bool(_NAMES_A_WORK.search(before.text)) and _WHOLE.search(before.text) is not None
    is_entry = _NAMES_A_WORK.search(line) or pattern("citing", "author_of_entry").match(line)
    return is_whole and bool(is_entry) and _BEGINS_ENTRY.match(line) is not None


def _title_of_prose(lines: Sequence[_Line]) -> int | None:
    """Where a title begins that is no heading of a list although it has the words of one, such as "Notes": a list
    follows later, or what stands below it cites within its sentences."""
    filled = [line for line in lines if _TAG.sub("", line.text).strip()]
    if not filled or not is_reference_heading(filled[0].text):
        return None
    headings = [at for at, line in enumerate(filled) if is_heading(line.text)]
    below = filled[1 : headings[1]] if len(headings) > 1 else filled[1:]
    has_list = any(is_reference_heading(filled[at].text) for at in headings[1:])
    return filled[0].start if has_list or any(_cites_within(line.text) for line in below) else None


def _cites_within(line: str) -> bool:
    """Whether a line is a sentence with a source in brackets, and no entry of a list."""
    is_entry = _ENTRY.match(line) is not None or _is_named_entry(line)
    return not is_entry and _CITING_SENTENCE.search(line) is not None


def _is_letter(line: str, place: int) -> bool:
    """Whether a line begins with the letter or the Roman number of this place in a list."""
    match = _LETTER.match(line.strip())
    letter = match["letter"].lower() if match else ""
    return any(names[place : place + 1] == (letter,) for names in _LETTERS)


def _lettered(found: list[Reference]) -> list[Reference]:
    """Entries without keys called by their letters or Roman numbers, where these count on from the first."""
    marks = [_LETTER.match(one.text) for one in found]
    keys = [match["letter"].lower() if match else "" for match in marks]
    is_counted = any(keys == list(names[: len(keys)]) for names in _LETTERS)
    if len(found) < _LEAST_ENTRIES or any(one.key for one in found) or not is_counted:
        return found
    return [
        replace(one, key=match["letter"], text=one.text[match.end() :])
        for one, match in zip(found, marks, strict=True)
        if match
    ]


def _numbered_by_place(text: str, found: list[Reference]) -> list[Reference]:
    """Entries without keys called by their place in the list, where raised or bracketed numbers of the text go no
    further."""
    if not found or any(one.key for one in found):
        return found
    above = text[: found[0].start]
    is_numbered = any(_are_places(cited, len(found)) for cited in (raised_numbers(above), bracketed_numbers(above)))
    return [replace(one, key=str(at)) for at, one in enumerate(found, 1)] if is_numbered else found


def _are_places(cited: frozenset[int], count: int) -> bool:
    """Whether numbers may be places in a list of so many entries."""
    return len(cited) >= _LEAST_ENTRIES and max(cited) <= count and 1 in cited and 0 not in cited


def _list_at_end(text: str, lines: list[_Line]) -> int | None:
    """Where a list without a heading begins: numbers in brackets that the text cites, each with a year or address."""
    first: _Line | None = None
    entry: list[str] = []
    for line in reversed(lines):
        if not line.text.strip() or _NOTE.match(line.text) or _DEFINITION.match(line.text):
            if entry:
                break  # words that belong to no entry
            continue
        entry.append(line.text)
        if _marked(line.text):
            if not any(map(_NAMES_A_WORK.search, entry)):
                break
            first, entry = line, []
        elif len(entry) > _MOST_LINES:
            break
    mark = _marked(first.text) if first else None
    is_cited = first is not None and mark is not None and _is_cited(text[: first.start], mark)
    return first.start if first and is_cited else None


def _items_at_end(text: str, lines: Sequence[_Line]) -> int | None:
    """Where a list begins below a heading of any words: items with an address each, as many as raised numbers need."""
    first = _entries_at_end(lines, _is_linked_item)
    if first is None:
        return None
    above = [line.text for line in lines if line.start < first and _TAG.sub("", line.text).strip()]
    cited = raised_numbers(text[:first])
    count = sum(_is_linked_item(line.text) for line in lines if line.start >= first)
    return first if above and _ATX.match(above[-1]) and 1 in cited and _LEAST_ENTRIES <= max(cited) <= count else None


def _is_linked_item(line: str) -> bool:
    return bool(_ITEM.match(line)) and "https://" in line.replace("http://", "https://")


def _entries_at_end(lines: Sequence[_Line], is_entry: Callable[[str], bool], *, is_whole: bool = False) -> int | None:
    """Where a list begins, whatever its heading: the last lines, which are all entries; `is_whole`: up to a gap."""
    first: _Line | None = None
    count, is_gap = 0, True
    for line in reversed(lines):
        if not _TAG.sub("", line.text).strip():
            is_gap = True
            continue
        if not is_entry(line.text):
            if is_whole and not is_gap:
                return None
            break
        first, count, is_gap = line, count + 1, False
    return first.start if first and count >= _LEAST_ENTRIES else None


def _is_named_entry(line: str) -> bool:
    bare = re.sub(r"^\s{0,6}(?:[-*+•・]\s+|\d{1,3}[.)]\s+)?", "", line)
    mark = next((one for one in find_author_marks(bare) if one.start == 0), None)
    return mark is not None and pattern("citing", "title_follows").match(bare, mark.end) is not None


def _is_titled_entry(line: str) -> bool:
    """Whether a line of a list is a name, a title in quotation marks or as a link, and an address."""
    item = _ITEM.match(line)
    bare = line[item.end() :] if item else ""
    return bool(pattern("citing", "titled_entry").match(bare)) and bool(re.search(r"https?://", bare))


def _marked(line: str) -> re.Match[str] | None:
    return _MARKED.match(line) or pattern("citing", "exhibit").match(line)


def _is_cited(text: str, mark: re.Match[str]) -> bool:
    if mark.re is not _MARKED:
        return bool(re.search(rf"[\[(［〔;,、]\s?{re.escape(key_form(_key(mark)))}(?!\d)", key_form(text)))
    if mark["number"]:
        return bool(re.search(rf"[\[［](?:[^\]］\n]{{0,60}}\D)?{mark['number']}(?:\D[^\]］\n]{{0,60}})?[\]］]", text))
    if mark["raised"]:
        return bool(re.search(rf"(?<=[^\s\d]){mark['raised']}[)）]", text))
    if mark["small"]:
        return bool(re.search(rf"(?<=\S)⁽?(?:[¹²³⁰⁴-⁹]+[,⁻])*{mark['small']}(?![¹²³⁰⁴-⁹])", text))
    if mark["small_2"]:
        return f"<sup>{mark['small_2']}</sup>" in text
    if mark["sign"]:
        return bool(re.search(rf"[^\s*][（(]?(?:※|＊|\*){mark['sign']}(?!\d)", text))
    if mark["circled"] or mark["symbol"]:
        return bool(re.search(rf"(?<=\S)[^\S\n]?{mark['circled'] or mark['symbol']}", text))
    label = re.escape(key_form(mark["label"] or mark["label_2"]))
    return bool(re.search(rf"[\[({{〔【;,、]\s?{label}", key_form(text)))


def is_heading(line: str) -> bool:
    """A heading of Markdown, or a line that is nothing but the name of a list of references."""
    return bool(_ATX.match(line)) or is_reference_heading(line)


def is_reference_heading(line: str) -> bool:
    match = _HEADING.match(_TAG.sub("", line))
    return bool(match and pattern("citing", "reference_heading").fullmatch(match["words"].strip()))


def _reference(line: _Line, at: int, key: str) -> Reference:
    return Reference(key, line.text[at:].strip(), line.start, line.end)


def _key(entry: re.Match[str] | None) -> str:
    """What marks call an entry by, in plain digits."""
    named = entry.groupdict() if entry else {}
    return nfkc(next((named[name] for name in _KEY_NAMES if named.get(name)), "")).strip()


def _is_apart(text: str, end: int, start: int) -> bool:
    return text[end:start].count("\n") > 1


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    at = 0
    for line in text.split("\n"):
        found.append(_Line(at, at + len(line), line))
        at += len(line) + 1
    return found
