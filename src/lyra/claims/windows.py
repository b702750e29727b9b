"""What the model reads of a premise: the whole, or as much around its most relevant sentence as the model can take."""

from collections.abc import Callable
from dataclasses import dataclass

from lyra.text import is_japanese, sentences

Words = Callable[[str], frozenset[str]]

# The model takes 256 tokens; in nineteen texts of twenty a token holds at least so many characters.
_ROOM_TOKENS = 248
_CHARS_PER_TOKEN = 3.4
_CHARS_PER_TOKEN_JA = 1.3


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model is asked about (`text`), and the most relevant sentence in it (`best`), which people are shown."""

    best: str
    text: str


def read_for(premise: str, hypothesis: str, words: Words) -> Reading:
    """How a premise is read for a hypothesis.

    The best sentence shares most words with the hypothesis, the first of several. A premise that fits beside the
    hypothesis is read whole; of a longer one the best sentence is read with its neighbours, the next one before the one
    in front, as long as they fit. A premise of one sentence is left as it is.
    """
    spans = sentences(premise)
    if len(spans) <= 1:
        return Reading(premise, premise)
    at = _best(premise, spans, hypothesis, words)
    room = _ROOM_TOKENS - _tokens(hypothesis)
    text = premise if _tokens(premise) <= room else _around(premise, spans, at, room)
    return Reading(premise[slice(*spans[at])], text)


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
    wanted = words(hypothesis)
    return max(range(len(spans)), key=lambda at: (len(wanted & words(premise[slice(*spans[at])])), -at))


def _tokens(text: str) -> float:
    return len(text) / (_CHARS_PER_TOKEN_JA if is_japanese(text) else _CHARS_PER_TOKEN)
