"""What the model reads of a fragment for a claim: its sentences, as many as the model can take, and what they need.

A sentence leaves out what the page is about, so the title of the page and the heading above are read first; where the
first sentence refers to the one before (a pronoun, a dropped subject), so is that one. Who speaks and of what often
stands at the beginning of the page alone: the strong reader is told it, with the name of the site.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from lyra.claims.announcements import is_no_statement
from lyra.claims.effects import claims_effect, has_effect_on
from lyra.claims.quantities import amounts
from lyra.claims.sentences import sentence_spans
from lyra.claims.statements import needs_previous
from lyra.claims.subjects import NO_SITE, NamedSite
from lyra.claims.tables import Cell, cells_of, is_header, rows_of, spans_of_rows
from lyra.model.edge import PAGE_BREAK, JudgedPart, JudgedText, PartRole, without_page
from lyra.text import is_japanese

Words = Callable[[str], frozenset[str]]
Span = tuple[int, int]

# The model takes 256 tokens; in nineteen texts of twenty a token holds at least so many characters.
_ROOM_TOKENS = 248
_CHARS_PER_TOKEN = 3.4
_CHARS_PER_TOKEN_JA = 1.3
_TITLE_CHARS = 120
_HEADING_CHARS = 60
_BEFORE_TOKENS = 60
_BEGINNING_CHARS = 320
_BEGINNING_CHARS_JA = 150
# What a sentence that speaks of an effect, as the hypothesis does, or gives an amount in its unit is worth, in words.
_EFFECT_WEIGHT = 1.5
_UNIT_WEIGHT = 1.0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of another fragment than the one that is judged."""

    fragment_id: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What stands around a text: the title of its page, the heading above it, the last sentence before it, and, where
    it is a table, the row with the names of its columns, if that stands in an earlier fragment. `beginning` is how
    its page begins, where the text is not that itself.

    `page` is all that the page says, with its title and address, for rules that ask whom a page is about, and
    `question` what the task asks; readers are not given them. `is_satire`: the page says of itself that it
    is satire."""

    title: str = ""
    heading: str = ""
    before: Excerpt | None = None
    header: Excerpt | None = None
    beginning: Excerpt | None = None
    is_table: bool = False
    page: str = ""
    site: NamedSite = NO_SITE
    question: str = ""
    is_satire: bool = False


def last_sentence(fragment_id: str, text: str) -> Excerpt | None:
    """The last sentence of a fragment, to be read before the one behind it."""
    spans = sentence_spans(text)
    return Excerpt(fragment_id, spans[-1][0], text[slice(*spans[-1])]) if spans else None


def first_sentences(fragment_id: str, text: str) -> Excerpt | None:
    """The sentences with which a page begins, as many as the strong reader is told beforehand."""
    most = _BEGINNING_CHARS_JA if is_japanese(text) else _BEGINNING_CHARS
    spans = sentence_spans(text)
    start = spans[0][0] if spans else 0
    ends = [end for _, end in spans if end - start <= most]
    return Excerpt(fragment_id, start, text[start : ends[-1]]) if ends else None


def header_row(fragment_id: str, text: str) -> Excerpt | None:
    """The first row of a table, where it names the columns."""
    rows = spans_of_rows(text)
    if not rows or not is_header(cells_of(text, rows[0])):
        return None
    return Excerpt(fragment_id, rows[0][0], text[slice(*rows[0])])


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that are read; those of the judged text belong to a sentence of the window (`unit`), others have a role,
    and what has neither only joins."""

    text: str
    role: PartRole | None = None
    unit: int | None = None
    start: int | None = None
    fragment_id: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """One text for the model: `spans` are its sentences in the fragment, of which `best` seems the most relevant;
    `alone` gives the text by which one of several can be judged by itself."""

    pieces: tuple[Piece, ...]
    spans: tuple[Span, ...]
    best: int = 0
    alone: Callable[[int], str] | None = None

    @property
    def text(self) -> str:
        return _text_of(self.pieces)

    def quote_span(self, deciding: Collection[int]) -> Span:
        """From the first of these sentences to the last."""
        return self.spans[min(deciding)][0], self.spans[max(deciding)][1]

    @property
    def own_text(self) -> str:
        """Without what is told of the page beforehand."""
        return without_page(self.text)

    def judged(self, deciding: Collection[int], *, is_page_told: bool = True) -> JudgedText:
        """The window as it is kept, given the sentences that decided, and whether the reader was told of the page."""
        pieces = self.pieces if is_page_told else _without_page(self.pieces)
        parts: list[JudgedPart] = []
        at = 0
        for piece in pieces:
            role = (
                piece.role if piece.unit is None else PartRole.DECIDING if piece.unit in deciding else PartRole.CONTEXT
            )
            end = at + len(piece.text)
            if role is not None:
                starts = None if piece.start is None else piece.start
                ends = None if piece.start is None else piece.start + len(piece.text)
                parts.append(JudgedPart(role, at, end, starts, ends, piece.fragment_id))
            at = end
        return JudgedText(_text_of(pieces), tuple(_joined(parts)))


def _without_page(pieces: Sequence[Piece]) -> Sequence[Piece]:
    ends = [at for at, piece in enumerate(pieces) if piece.text == PAGE_BREAK]
    return pieces[ends[0] + 1 :] if ends else pieces


def _joined(parts: Sequence[JudgedPart]) -> Iterator[JudgedPart]:
    """Neighbouring sentences of one role as one part, where the text between them is the fragment's own."""
    held: JudgedPart | None = None
    for part in parts:
        if held is not None and _is_next(held, part):
            held = replace(held, end=part.end, fragment_end=part.fragment_end)
            continue
        if held is not None:
            yield held
        held = part
    if held is not None:
        yield held


def _is_next(held: JudgedPart, part: JudgedPart) -> bool:
    if held.role is not part.role or held.fragment_end is None or part.fragment_start is None:
        return False
    gap = part.fragment_start - held.fragment_end
    return held.fragment_id == part.fragment_id and gap == part.start - held.end


def windows_for(premise: str, hypothesis: str, words: Words, setting: Setting, most: int = 1) -> list[Window]:
    """How a premise is read for a hypothesis: in at most `most` windows, the most promising first.

    The best sentence shares most words with the hypothesis, an effect or a unit counting as words, the first of
    several; one that states nothing comes last. A premise that fits beside the hypothesis is read whole; of a longer
    one the best sentence is read with its neighbours, the next one before the one in front, as long as they fit; then,
    in further windows, what was left out. A table is read by rows, each cell with the name of its column.
    """
    if setting.is_table:
        return _row_windows(premise, hypothesis, words, setting, most)
    spans = sentence_spans(premise) or [(0, len(premise))]
    ranked = _ranked(premise, spans, hypothesis, words)
    opening = _opening(setting, premise)
    room = _ROOM_TOKENS - _tokens(hypothesis) - _tokens(_text_of(opening))
    found: list[Window] = []
    left = ranked
    while left and len(found) < most:
        within = _run_of(frozenset(left), left[0])
        first, last = _around(premise, spans, left[0], room, within)
        needed = _tokens(_text_of(_before(premise, spans, first, setting)))
        if needed:
            first, last = _around(premise, spans, left[0], room - needed, within)
        found.append(_window(premise, spans, (first, last), left[0], opening, setting))
        left = [at for at in left if not first <= at <= last]
    return found


def _window(
    premise: str,
    spans: Sequence[Span],
    run: tuple[int, int],
    best: int,
    opening: tuple[Piece, ...],
    setting: Setting,
) -> Window:
    """The sentences of a run, from the first to the last."""
    first, last = run
    own = spans[first : last + 1]
    pieces: list[Piece] = [*_page(setting, premise), *opening, *_before(premise, spans, first, setting)]
    for unit, (start, end) in enumerate(own):
        if unit:
            pieces.append(Piece(premise[own[unit - 1][1] : start]))
        pieces.append(Piece(premise[start:end], unit=unit, start=start))

    def alone(unit: int) -> str:
        before = _before(premise, spans, first + unit, setting)
        return _text_of((*opening, *before)) + premise[slice(*own[unit])]

    return Window(tuple(pieces), tuple(own), best - first, alone if len(own) > 1 else None)


def _before(premise: str, spans: Sequence[Span], at: int, setting: Setting) -> tuple[Piece, ...]:
    """The sentence before, where this one refers to it."""
    if not needs_previous(premise[slice(*spans[at])]):
        return ()
    if at:
        start, end = spans[at - 1]
        return _sentence(premise[start:end], PartRole.CONTEXT, start, None)
    if setting.before is None:
        return ()
    return _sentence(setting.before.text, PartRole.BEFORE, setting.before.start, setting.before.fragment_id)


def _sentence(text: str, role: PartRole, start: int, fragment_id: str | None) -> tuple[Piece, ...]:
    """A sentence read before others; of an endless one nothing, for a cut one may say the opposite."""
    if _tokens(text) > _BEFORE_TOKENS:
        return ()
    return Piece(text, role, start=start, fragment_id=fragment_id), Piece("" if is_japanese(text) else " ")


def _page(setting: Setting, premise: str) -> tuple[Piece, ...]:
    """What the strong reader is told of the page beforehand, and its end."""
    beginning = setting.beginning
    site = _bare(setting.site.name, _TITLE_CHARS)
    stop = "。" if any(map(is_japanese, (site, premise))) else ". "
    told = _named(site, PartRole.SITE, stop)
    if beginning is not None and PAGE_BREAK not in beginning.text:  # the first mark must be ours
        role = PartRole.BEGINNING
        told += (Piece(beginning.text, role, start=beginning.start, fragment_id=beginning.fragment_id),)
    return (*told, Piece(PAGE_BREAK)) if told or PAGE_BREAK in premise else ()


def _opening(setting: Setting, premise: str) -> tuple[Piece, ...]:
    """Title and heading as sentences before a premise; neither where there is none or the next words repeat it."""
    title = _bare(setting.title, _TITLE_CHARS)
    heading = _bare(setting.heading, _HEADING_CHARS)
    if heading and (premise.startswith(heading) or heading in title):
        heading = ""
    if title and (premise.startswith(title) or heading.startswith(title)):
        title = ""
    is_ja = any(map(is_japanese, (title, heading, premise)))
    stop = "。" if is_ja else ". "
    return (*_named(title, PartRole.TITLE, stop), *_named(heading, PartRole.HEADING, stop))


def _bare(text: str, most: int) -> str:
    return " ".join(text.split())[:most].rstrip(" .。")


def _named(text: str, role: PartRole, stop: str) -> tuple[Piece, ...]:
    return (Piece(text, role), Piece(stop)) if text else ()


def _run_of(numbers: frozenset[int], at: int) -> tuple[int, int]:
    """The first and last of the unbroken run of numbers that holds one of them."""
    first = last = at
    while first - 1 in numbers:
        first -= 1
    while last + 1 in numbers:
        last += 1
    return first, last


def _around(premise: str, spans: Sequence[Span], at: int, room: float, within: tuple[int, int]) -> tuple[int, int]:
    """The first and last sentence of the window around one; none outside `within`."""
    first = last = at
    while True:
        if last < within[1] and _tokens(premise[spans[first][0] : spans[last + 1][1]]) <= room:
            last += 1
        elif first > within[0] and _tokens(premise[spans[first - 1][0] : spans[last][1]]) <= room:
            first -= 1
        else:
            return first, last


def _ranked(premise: str, spans: Sequence[Span], hypothesis: str, words: Words) -> list[int]:
    """The sentences, the most relevant first."""
    wanted, units = words(hypothesis), {one.unit for one in amounts(hypothesis)}
    is_effect = claims_effect(hypothesis)

    def rank(at: int) -> tuple[bool, float, int]:
        sentence = premise[slice(*spans[at])]
        shared = float(len(wanted & words(sentence)))
        shared += _EFFECT_WEIGHT if is_effect and has_effect_on(sentence, hypothesis) else 0.0
        shared += _UNIT_WEIGHT if units & {one.unit for one in amounts(sentence)} else 0.0
        return is_no_statement(sentence), -shared, at

    return sorted(range(len(spans)), key=rank) if len(spans) > 1 else list(range(len(spans)))


def _row_windows(premise: str, hypothesis: str, words: Words, setting: Setting, most: int) -> list[Window]:
    rows, header = rows_of(premise, None if setting.header is None else setting.header.text)
    ranked = _ranked(premise, rows, hypothesis, words)[:most]
    opening = _opening(setting, premise)
    above = (*_page(setting, premise), *opening)
    return [Window((*above, *_row_pieces(premise, rows[at], header, setting.header)), (rows[at],)) for at in ranked]


def _row_pieces(premise: str, row: Span, header: Sequence[Cell], earlier: Excerpt | None) -> Iterator[Piece]:
    """The cells of a row, each with the name of its column; without names, or with too few, the row as it stands."""
    cells = cells_of(premise, row)
    if len(cells) != len(header):
        for name in header:
            yield _name_piece(name, earlier)
            yield Piece(" | ")
        yield Piece(premise[slice(*row)], unit=0, start=row[0])
        return
    for at, (name, cell) in enumerate(zip(header, cells, strict=True)):
        yield from (Piece(", "),) if at else ()
        yield _name_piece(name, earlier)
        yield Piece(": ")
        yield Piece(cell.text, unit=0, start=cell.start)
    yield Piece(".")


def _name_piece(name: Cell, earlier: Excerpt | None) -> Piece:
    if earlier is None:
        return Piece(name.text, PartRole.HEADER, start=name.start)
    return Piece(name.text, PartRole.HEADER, start=earlier.start + name.start, fragment_id=earlier.fragment_id)


def _text_of(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def _tokens(text: str) -> float:
    return len(text) / (_CHARS_PER_TOKEN_JA if is_japanese(text) else _CHARS_PER_TOKEN)
