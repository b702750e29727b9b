"""Words, sentences and language of English and Japanese text; the one tokeniser for ranking and full-text search."""

import importlib.util
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sudachipy import Dictionary

_JAPANESE = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f々〆ヶ"
_RUN = re.compile(rf"[{_JAPANESE}]+|[^\W_{_JAPANESE}]+(?:['’.-][^\W_{_JAPANESE}]+)*", re.UNICODE)
_JAPANESE_RUN = re.compile(rf"[{_JAPANESE}]")
_KANA = re.compile("[\u3040-\u30ff]")
_SUDACHI_MAX_BYTES = 40_000
_SKIPPED_POS = frozenset({"助詞", "助動詞", "補助記号", "空白"})
# Without a dictionary: words in katakana whole, everything else in pairs of characters.
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HIRAGANA = "\u3040-\u309f"
_SCRIPTS = re.compile(
    f"(?P<katakana>[{_KATAKANA}]+)|(?P<hiragana>[{_HIRAGANA}]+)|(?P<kanji>[^{_KATAKANA}{_HIRAGANA}]+)"
)
_EMPTY_PAIRS = frozenset(
    "ある いる から こと され した しな して しま する ため った って ては でき です では であ ない など には のは "
    "のが のを のに ので ます まし まで もの より られ れた れて れる".split()
)
JAPANESE_EXTRA = "pip install 'lyra-mcp[japanese]'"

# An abbreviation's full stop ends no sentence.
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st vs etc al fig figs eq no vol ed eds inc ltd co corp dept approx e.g i.e cf u.s u.k "
    "jan feb mar apr jun jul aug sep sept oct nov dec ph.d".split()
)
# Words that are frequent in English and not in its neighbours (no "de", "in", "die", "a").
_SMALL_ENGLISH = frozenset(
    "the of and to that is was for with as are were by this which from have has not be or been their its who they "
    "than more when there these would may can between after during other".split()
)
# Possessive and only from the first of a run, so that a line of full stops without end costs no more than its length.
_BOUNDARY = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s|$)|[。！？]+[」』）]*|\n{2,}")
# No script piles up more marks on a letter (Unicode's Stream-Safe Text Format, UAX #15 §13).
_MOST_MARKS = 30
_MAYBE_PILE = re.compile(rf"[^\w\s\x00-\x7f]{{{_MOST_MARKS + 1},}}")
# Control characters but line breaks and tabs, and marks that turn the direction of what follows.
_CONTROL_CHARS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]")
# Characters that show nothing: soft hyphen, zero-width marks, fillers, variation selectors, tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_SELECTORS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_PICTURE_MARKS = ("\ufe0f", "\u200d", "\ufe0f\u200d")
_IDEOGRAPH_FORM = re.compile("[\ufe00-\ufe02\U000e0100-\U000e01ef]")
# Scripts whose spelling needs joiners: Arabic to N'Ko, the Indic ones, Tibetan, Myanmar, Khmer, Mongolian.
_JOINED_SCRIPTS = re.compile(
    "[\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
)
_PICTURES = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff#*0-9]")
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_SELECTOR_BYTES = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_BINARY_MARKS = re.compile("[\u200b\u200c]{16,}")
_CITATION_MARK = re.compile(r"(?:\s?\[\d{1,3}(?:[,–-]\s?\d{1,3})*\])+")


def strip_control_chars(text: str) -> str:
    """The text without characters that control a terminal, turn the direction of reading or show nothing.

    Kept are joiners that a script or an emoji needs, and variation selectors that choose the form of an ideograph or a
    picture. For everything that leaves Lyra; what is stored keeps every character, so that offsets hold.
    """
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub(_needed_marks, _CONTROL_CHARS.sub("", text))


def visible_fields(value: Any) -> Any:
    """Fields of an answer or an export with every text in them, at any depth, as `strip_control_chars` leaves it."""
    if isinstance(value, str):
        return strip_control_chars(value)
    if isinstance(value, dict):
        return {name: visible_fields(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [visible_fields(inner) for inner in value]
    return value


def _needed_marks(run: re.Match[str]) -> str:
    """What a run of invisible characters must keep for the characters around it."""
    whole, marks = run.string, run.group()
    before = whole[run.start() - 1] if run.start() else ""
    after = whole[run.end()] if run.end() < len(whole) else ""
    if marks in _PICTURE_MARKS:
        joins = marks.endswith(_ZWJ)
        if _PICTURES.match(before) and (_PICTURES.match(after) or not joins):
            return marks
    if marks in (_ZWNJ, _ZWJ):
        return marks if _JOINED_SCRIPTS.match(before) and _JOINED_SCRIPTS.match(after) else ""
    return marks if _IDEOGRAPH_FORM.fullmatch(marks) and _IDEOGRAPH.match(before) else ""


def smuggled_text(text: str) -> list[tuple[int, int, str]]:
    """Start, end and meaning of text that is written in characters which show nothing."""
    if text.isascii():
        return []
    found = [
        (one.start(), one.end(), "".join(chr(ord(char) - 0xE0000) for char in one.group()))
        for one in _TAGS.finditer(text)
        if not _is_flag(one)
    ]
    found += [(one.start(), one.end(), _selected_bytes(one.group())) for one in _SELECTOR_BYTES.finditer(text)]
    found += [(one.start(), one.end(), "") for one in _BINARY_MARKS.finditer(text)]
    return sorted(found)


def _is_flag(run: re.Match[str]) -> bool:
    """The flags of England, Scotland and Wales are spelt in tags behind a black flag."""
    return run.start() > 0 and run.string[run.start() - 1] == "\U0001f3f4" and run.end() - run.start() <= 6


def _selected_bytes(marks: str) -> str:
    """Variation selectors as the bytes that they are known to be misused for."""
    values = (ord(char) - 0xFE00 if char < "\U000e0000" else ord(char) - 0xE0100 + 16 for char in marks)
    return bytes(values).decode("utf-8", "replace")


def is_japanese(text: str) -> bool:
    """Whether the text is mostly written in Japanese script (kana must occur, so Chinese is not)."""
    if not _KANA.search(text):
        return False
    letters = sum(map(str.isalpha, text))
    return bool(letters) and len(_JAPANESE_RUN.findall(text)) * 3 >= letters


def language_of(text: str) -> str:
    """`ja` or `en` where the script decides; other languages by a statistical guess; `und` without letters."""
    sample = text[:4000]
    if not any(char.isalpha() for char in sample):
        return "und"
    if is_japanese(sample):
        return "ja"
    if _is_plainly_english(sample):
        return "en"
    import py3langid  # lazy: its model costs 100 ms

    return str(py3langid.classify(sample)[0])


def _is_plainly_english(sample: str) -> bool:
    """Whether frequent English words are a fifth of the text, so that no model is needed."""
    words = re.findall(r"[a-z]+", sample.lower())
    small = sum(1 for word in words if word in _SMALL_ENGLISH)
    return len(words) >= 8 and small >= len(words) * 0.2


def without_surrogates(text: str) -> str:
    """The text as it can be stored and sent: JSON may carry halves of characters, which UTF-8 has no bytes for."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def nfkc(text: str) -> str:
    """The compatibility form. Of an endless pile of marks the first are kept: to sort it takes quadratic time."""
    return unicodedata.normalize("NFKC", _MAYBE_PILE.sub(_lowered_pile, text))


def _lowered_pile(run: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for char in run.group():
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def normalise(text: str) -> str:
    """NFKC, one kind of white space, no control or invisible characters, no lone surrogates: for comparing texts."""
    folded = nfkc(without_surrogates(text))
    if folded.isprintable() and not _SELECTORS.search(folded):  # nothing to drop: ten times as fast
        return re.sub(" +", " ", folded)
    spaced = _INVISIBLE.sub("", "".join(" " if c in "\t\r\n\f\v" else c for c in folded))
    return re.sub(r"\s+", " ", "".join(c for c in spaced if c == " " or not unicodedata.category(c).startswith("C")))


@cache
def has_dictionary() -> bool:
    """Whether the extra `japanese` is installed; imports nothing."""
    return all(importlib.util.find_spec(name) for name in ("sudachipy", "sudachidict_core"))


@cache
def _dictionary() -> "Dictionary":
    import sudachipy  # lazy: the dictionary costs 80 MB

    return sudachipy.Dictionary(dict="core")


def located_tokens(text: str, *, in_pairs: bool | None = None) -> Iterator[tuple[int, int, str]]:
    """Start, end and normal form of every word: Latin runs lower-cased, Japanese runs split by Sudachi.

    Where its dictionary is not installed, or `in_pairs`, Japanese is cut into pairs of characters, which overlap.
    """
    japanese = _pairs if (in_pairs if in_pairs is not None else not has_dictionary()) else _japanese_tokens
    for run in _RUN.finditer(text):
        if _JAPANESE_RUN.match(run.group()):
            yield from japanese(run.group(), run.start())
        else:
            yield run.start(), run.end(), unicodedata.normalize("NFKC", run.group()).lower()


def _japanese_tokens(run: str, offset: int) -> Iterator[tuple[int, int, str]]:
    from sudachipy import SplitMode

    # A tokenizer refuses a second thread, and costs a microsecond to make; Sudachi refuses more than 48 KB at once.
    tokenizer = _dictionary().tokenizer()
    step = _SUDACHI_MAX_BYTES // 3
    for start in range(0, len(run), step):
        for morpheme in tokenizer.tokenize(run[start : start + step], SplitMode.A):
            if morpheme.part_of_speech()[0] not in _SKIPPED_POS:
                begin = offset + start + morpheme.begin()
                yield begin, offset + start + morpheme.end(), morpheme.normalized_form().lower()


def _pairs(run: str, offset: int) -> Iterator[tuple[int, int, str]]:
    for part in _SCRIPTS.finditer(run):
        word, start = part.group(), offset + part.start()
        if part.lastgroup == "katakana" or (part.lastgroup == "kanji" and len(word) == 1):
            yield start, start + len(word), nfkc(word)
            continue
        for place in range(len(word) - 1):
            pair = word[place : place + 2]
            if pair not in _EMPTY_PAIRS:
                yield start + place, start + place + 2, pair


def tokens(text: str) -> list[str]:
    """The words of a text in normal form."""
    if text.isascii():  # the same words, three times as fast
        return _RUN.findall(text.lower())
    return [word for _, _, word in located_tokens(text)]


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of every sentence, English and Japanese, without surrounding white space."""
    spans: list[tuple[int, int]] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if _is_inner_stop(text, boundary):
            continue
        _add_span(spans, text, start, boundary.end())
        start = boundary.end()
    _add_span(spans, text, start, len(text))
    return spans


def _is_inner_stop(text: str, boundary: re.Match[str]) -> bool:
    """A full stop after an abbreviation or an initial, or one that a small letter follows."""
    if boundary.group() != ".":
        return False
    before = re.search(r"\S+$", text[max(0, boundary.start() - 20) : boundary.start()])
    word = before.group().lstrip("([\"'“‘").lower() if before else ""
    if word in _ABBREVIATIONS or re.fullmatch(r"(?:[a-z]\.)*[a-z]", word):
        return True
    after = text[boundary.end() : boundary.end() + 2].lstrip()
    return bool(after) and after[0].islower()


def _add_span(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + piece.index(stripped)
        spans.append((begin, begin + len(stripped)))


def without_citation_marks(text: str) -> str:
    """The sentence without bracketed reference numbers such as [3, 4]."""
    return _CITATION_MARK.sub("", text)


def shingles(text: str, size: int = 5) -> frozenset[str]:
    """Word 5-grams, or character 5-grams where the text is Japanese (SPEC §13, near-duplicate)."""
    folded = nfkc(text).lower()
    units: list[str] | str
    if is_japanese(folded):
        units = re.sub(r"\W", "", folded)
        joiner = ""
    else:
        units = re.findall(r"\w+", folded)
        joiner = " "
    if len(units) <= size:
        return frozenset({joiner.join(units)}) if units else frozenset()
    return frozenset(map(joiner.join, zip(*(units[at:] for at in range(size)), strict=False)))


def preview(text: str, limit: int = 200) -> str:
    """The beginning of a text on one line, at most `limit` characters."""
    line = re.sub(r"\s+", " ", text).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
