"""What the model reads of a premise: the whole, or as much around its most relevant sentence as the model can take."""

from collections.abc import Callable
from dataclasses import dataclass

from lyra.claims.announcements import announces
from lyra.claims.effects import effect_on, effect_stated
from lyra.claims.quantities import amounts
from lyra.text import is_japanese, sentences

Words = Callable[[str], frozenset[str]]

# The model takes 256 tokens; in nineteen texts of twenty a token holds at least so many characters.
_ROOM_TOKENS = 248
_CHARS_PER_TOKEN = 3.4
_CHARS_PER_TOKEN_JA = 1.3
_TITLE_CHARS = 120
# What a sentence that speaks of an effect, as the hypothesis does, or gives an amount in its unit is worth, in words.
_EFFECT_WORTH = 1.5
_UNIT_WORTH = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model is asked about (`text`), and the most relevant sentence in it (`best`), which people are shown."""

    best: str
    text: str


def read_for(premise: str, hypothesis: str, words: Words, title: str = "") -> Reading:
    """How a premise is read for a hypothesis.

    The best sentence shares most words with the hypothesis, an effect or a unit counting as words, the first of
    several; one that asks or announces comes last. A premise that fits beside the hypothesis is read whole; of a longer
    one the best sentence is read with its neighbours, the next one before the one in front, as long as they fit. A
    premise of one sentence is left as it is. The title of its page is read first: a passage leaves out what the page is
    about.
    """
    spans = sentences(premise)
    before = _heading(title, premise)
    if len(spans) <= 1:
        return Reading(premise, before + premise)
    at = _best(premise, spans, hypothesis, words)
    room = _ROOM_TOKENS - _tokens(hypothesis) - _tokens(before)
    text = premise if _tokens(premise) <= room else _around(premise, spans, at, room)
    return Reading(premise[slice(*spans[at])], before + text)


def _heading(title: str, premise: str) -> str:
    """A title as the sentence before a premise; nothing where there is none or the premise opens with it."""
    bare = " ".join(title.split())[:_TITLE_CHARS].rstrip(" .。")
    if not bare or premise.startswith(bare):
        return ""
    return f"{bare}。" if is_japanese(bare) else f"{bare}. "


def _around(premise: str, spans: list[tuple[int, int]], at: int, room: float) -> str:
    first = last = at
    while True:
        if last + 1 < len(spans) and _tokens(premise[spans[first][0] : spans[last + 1][1]]) <= room:
            last += 1
        elif first > 0 and _tokens(premise[spans[first - 1][0] : spans[last][1]]) <= room:
            first -= 1
        else:
            return premise[spans[first][0] : spans[last][1]]


def _best(premise: str, spans: list[tuple[int, int]], hypothesis: str, words: Words) -> int:
    wanted, units = words(hypothesis), {one.unit for one in amounts(hypothesis)}
    has_effect = effect_stated(hypothesis) is not None

    def worth(at: int) -> float:
        sentence = premise[slice(*spans[at])]
        shared = float(len(wanted & words(sentence)))
        shared += _EFFECT_WORTH if has_effect and effect_on(sentence, hypothesis) is not None else 0.0
        return shared + (_UNIT_WORTH if units & {one.unit for one in amounts(sentence)} else 0.0)

    return max(range(len(spans)), key=lambda at: (not announces(premise[slice(*spans[at])]), worth(at), -at))


def _tokens(text: str) -> float:
    return len(text) / (_CHARS_PER_TOKEN_JA if is_japanese(text) else _CHARS_PER_TOKEN)
