"""What a text says of a claim: the text read by the model, its answer calibrated, and labelled by thresholds."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from lyra.calibration.bundled import logistic
from lyra.claims.announcements import is_question
from lyra.claims.notation import in_one_notation
from lyra.claims.rules import OTHER_SUBJECT, QUESTION, SAME_WORDS, SATIRE
from lyra.claims.subjects import other_subject
from lyra.claims.windows import Setting, Window, windows_for
from lyra.claims.words import content_words, same_key
from lyra.ml.protocols import Readers
from lyra.model.edge import STRONG_READER, AnswerProbabilities, ReaderAnswer, Relation, Stance
from lyra.text import is_japanese

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)
DEFAULT_THRESHOLD = 0.5
# A sentence entails itself; what is left is that the claim may mean something else where it stands.
SAME_WORDS_PROBABILITY = 0.9
# Of the written pairs on which the rule on subjects speaks by passages alone, 88 of 99 say nothing of their claim; on
# whole pages of seven topics it took back ten wrong stances and none that was right.
SILENT_PROBABILITY = 0.9
# Rules on effects, amounts and shared words did harm once the readers knew better: of the labels they changed on public
# and written pairs of both languages 143 had been right, 31 became.
_REMEMBERED_WORDS = 4096
# A fragment has at most 1,200 characters: three windows hold all of an English one, and most of a Japanese one.
_MOST_WINDOWS = 3


class Chances(Protocol):
    """How likely a text bears on a claim, and, if it does, how likely it is for it."""

    @property
    def bears(self) -> float: ...

    @property
    def side(self) -> float: ...

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """Of supports, refutes, neutral."""


class Calibrator(Protocol):
    """Answers to chances that mean what they say."""

    version: str

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> "Sequence[Chances]":
        """One for each answer, in order."""


class Correction(Protocol):
    """What users' corrections have taught, applied on top of the bundled calibration."""

    def apply(self, probabilities: "NDArray[np.float64]", languages: Sequence[str]) -> "NDArray[np.float64]":
        """Corrected rows (supports, refutes, neutral)."""

    def named(self, bundled: str) -> str:
        """The version of both together."""


class StanceJudge:
    """Judges pairs in batches.

    `thresholds` holds for each reader, and for `supports` and `refutes`, the calibrated probability from which a text
    is said to do so; below it the text is neutral. `learned` is asked before every batch for the correction in force,
    which another process may have changed.
    """

    def __init__(
        self,
        readers: Readers,
        calibrator: Calibrator,
        thresholds: Mapping[str, Mapping[str, float]],
        learned: Callable[[], Awaitable[Correction]] | None = None,
    ) -> None:
        self._readers = readers
        self._calibrator = calibrator
        self._learned = learned
        self._thresholds = {
            reader: tuple(own.get(label, DEFAULT_THRESHOLD) for label in LABELS[:2])
            for reader, own in thresholds.items()
        }
        self._words = lru_cache(_REMEMBERED_WORDS)(content_words)

    @property
    def model_ids(self) -> Mapping[str, str]:
        """The readers at work, by name."""
        return self._readers.model_ids

    def thresholds(self, reader: str) -> dict[str, float]:
        """The calibrated probability from which a text supports or refutes, by this reader's answer."""
        return {label.value: value for label, value in zip(LABELS[:2], self._least(reader), strict=True)}

    def _least(self, reader: str) -> tuple[float, ...]:
        return self._thresholds.get(reader, (DEFAULT_THRESHOLD, DEFAULT_THRESHOLD))

    def _label(self, answered: "_Answered") -> int:
        """0 supports, 1 refutes, 2 neutral."""
        return decide(answered.calibrated, self._least(answered.answer.reader))

    def readings(self, premise: str, hypothesis: str) -> tuple[str, ...]:
        """The texts that the model is asked about for a premise."""
        return tuple(one.text for one in self._windows(premise, hypothesis, Setting(), is_weighty=True))

    async def judge(
        self,
        pairs: Sequence[tuple[str, str]],
        settings: Sequence[Setting] | None = None,
        weighty: Sequence[bool] | None = None,
    ) -> list[Stance]:
        """The stance of each text towards its claim, in order: the reader's answers, calibrated once, then the rules.

        `settings` are what stands around the texts. `weighty` (all by default) are the pairs worth the large reader's
        time, and more than one window where the text is long; of several the one that takes a side most surely counts.
        Of a window that takes a side the small reader then finds the sentence that decides; without weight it
        is asked about the most relevant one alone.
        """
        if not pairs:
            return []
        chosen = weighty or [True] * len(pairs)
        around = settings or [Setting()] * len(pairs)
        windows = await asyncio.to_thread(self._all_windows, pairs, around, chosen)
        places = [at for at, found in enumerate(windows) for _ in found]
        readings = [_Reading(pairs[at][1], window, around[at]) for at, found in enumerate(windows) for window in found]
        learned = await self._learned() if self._learned else None
        answered = await self._answered([one.pair for one in readings], [chosen[at] for at in places], learned)
        best: dict[int, int] = {}
        for number, at in enumerate(places):
            if at not in best or self._side(answered[number]) > self._side(answered[best[at]]):
                best[at] = number
        kept = [(readings[best[at]], answered[best[at]]) for at in range(len(pairs))]
        deciding = await self._deciding(kept, chosen, learned)
        return await asyncio.to_thread(self._stances, kept, deciding)

    def _stances(
        self, kept: "Sequence[tuple[_Reading, _Answered]]", deciding: Sequence[frozenset[int]]
    ) -> list[Stance]:
        """What came of each answer; rules that look at whole pages take their time."""
        return [self._stance(one, answer, own) for (one, answer), own in zip(kept, deciding, strict=True)]

    def _all_windows(
        self, pairs: Sequence[tuple[str, str]], settings: Sequence[Setting], weighty: Sequence[bool]
    ) -> list[list[Window]]:
        return [
            self._windows(premise, claim, setting, is_weighty=is_weighty)
            for (premise, claim), setting, is_weighty in zip(pairs, settings, weighty, strict=True)
        ]

    def _windows(self, premise: str, claim: str, setting: Setting, *, is_weighty: bool) -> list[Window]:
        return windows_for(premise, claim, self._words, setting, _MOST_WINDOWS if is_weighty else 1)

    async def _answered(
        self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool], learned: Correction | None
    ) -> "list[_Answered]":
        """What the readers say of each pair, its figures in one notation, calibrated."""
        plain = await asyncio.to_thread(lambda: [in_one_notation(text, claim) for text, claim in pairs])
        answers = await self._readers.read(plain, weighty)
        languages = ["ja" if is_japanese(claim) else "en" for _, claim in pairs]
        chances = self._calibrator.chances(answers, languages)
        rows, version = _rows(chances), self._calibrator.version
        if learned:
            rows, version = learned.apply(rows, languages), learned.named(version)
        return [_Answered(*one, version) for one in zip(answers, chances, rows, strict=True)]

    def _side(self, answered: "_Answered") -> float:
        """How surely an answer takes a side; nothing where it takes none."""
        label = self._label(answered)
        return 0.0 if LABELS[label] is Relation.NEUTRAL else float(answered.calibrated[label])

    async def _deciding(
        self, kept: "Sequence[tuple[_Reading, _Answered]]", weighty: Sequence[bool], learned: Correction | None
    ) -> list[frozenset[int]]:
        """The sentences of each window that decided: of several that take a side the one that alone takes it most
        surely; all, where none does. What takes no side is shown by the sentence that seems the most relevant."""
        found = [self._plainly(*one) for one in kept]
        alone = [
            (at, sentence)
            for at, own in enumerate(found)
            if own is None
            for sentence in kept[at][0].asked_alone(is_weighty=weighty[at])
        ]
        asked = [(kept[at][0].text_alone(sentence), kept[at][0].claim) for at, sentence in alone]
        answered = await self._answered(asked, [False] * len(asked), learned) if asked else []
        said: dict[int, dict[int, _Answered]] = {}
        for (at, sentence), one in zip(alone, answered, strict=True):
            said.setdefault(at, {})[sentence] = one
        return [self._strongest(*kept[at], said[at]) if own is None else own for at, own in enumerate(found)]

    def _plainly(self, reading: "_Reading", answered: "_Answered") -> frozenset[int] | None:
        """The sentences that decided, where no reader need be asked."""
        window = reading.window
        is_support = LABELS[self._label(answered)] is Relation.SUPPORTS
        if reading.repeating is not None and (reading.is_repeat or is_support):
            return frozenset({reading.repeating})
        if window.alone is None or not self._side(answered):
            return frozenset({window.best})
        return None

    def _strongest(self, reading: "_Reading", whole: "_Answered", alone: "Mapping[int, _Answered]") -> frozenset[int]:
        """The sentence that alone takes the side of the whole most surely; all where none does."""
        label = self._label(whole)
        taking = [at for at, one in alone.items() if self._label(one) == label]
        if not taking:
            return frozenset(range(len(reading.window.spans)))
        taking = [at for at in taking if not reading.asks(at)] or taking
        return frozenset({max(taking, key=lambda at: (float(alone[at].calibrated[label]), -at))})

    def _stance(self, reading: "_Reading", answered: "_Answered", deciding: frozenset[int]) -> Stance:
        """`probabilities` stay what the reader said, calibrated; label and confidence are what came of it."""
        calibrated, answer, chances = answered.calibrated, answered.answer, answered.chances
        supports, refutes, neutral = (float(value) for value in calibrated)
        label = self._label(answered)
        confidence, rule = float(calibrated[label]), ""
        is_sure = LABELS[label] is Relation.SUPPORTS and confidence >= SAME_WORDS_PROBABILITY
        if reading.is_repeat and not is_sure and not reading.is_satire:
            label, confidence, rule = 0, SAME_WORDS_PROBABILITY, SAME_WORDS
        elif LABELS[label] is not Relation.NEUTRAL and (silent := reading.why_silent(deciding)):
            label, confidence, rule = LABELS.index(Relation.NEUTRAL), SILENT_PROBABILITY, silent
        two = AnswerProbabilities(logistic(answer.bears), logistic(answer.side), chances.bears, chances.side)
        raw = two.raw_probabilities
        return Stance(
            label=LABELS[label],
            confidence=confidence,
            raw_confidence=raw[label],
            probabilities=(supports, refutes, neutral),
            model_id=answer.model_id,
            calibration_version=answered.version,
            quote_span=reading.window.quote_span(deciding),
            judged_text=reading.window.judged(deciding, is_page_told=answer.reader == STRONG_READER),
            raw_probabilities=raw,
            rule=rule,
            reader=answer.reader,
            answers=two,
        )


@dataclass(frozen=True, slots=True)
class _Answered:
    """What a reader said of a pair: its answer, the two chances, and the three probabilities calibrated."""

    answer: ReaderAnswer
    chances: Chances
    calibrated: "NDArray[np.float64]"
    version: str


class _Reading:
    """A window and the claim it is read for; `repeating` is the sentence that is or holds the claim, if any."""

    def __init__(self, claim: str, window: Window, setting: Setting) -> None:
        self.claim = claim
        self.window = window
        self._setting = setting
        sentences = _sentences(window)
        same = [at for at, one in enumerate(sentences) if _is_same(one, claim)]
        holding = [at for at, one in enumerate(sentences) if claim in one]
        self.is_repeat = bool(same)
        self.repeating: int | None = next(iter((*same, *holding)), None)

    @property
    def pair(self) -> tuple[str, str]:
        return self.window.text, self.claim

    def why_silent(self, deciding: frozenset[int]) -> str:
        """The rule by which the sentences that decided say nothing of the claim; empty where none does."""
        decided = [text for at, text in enumerate(_sentences(self.window)) if at in deciding]
        if self._setting.is_satire:
            return SATIRE
        if all(map(is_question, decided)):
            return QUESTION
        around = self._setting
        decided_text = "\n".join(decided)
        other = other_subject(self.claim, self.window.own_text, decided_text, around.page, around.site, around.question)
        return "" if other is None else OTHER_SUBJECT

    @property
    def is_satire(self) -> bool:
        """Whether the page says of itself that it is satire."""
        return self._setting.is_satire

    def asks(self, sentence: int) -> bool:
        """Whether that sentence is a question."""
        return is_question(_sentences(self.window)[sentence])

    def asked_alone(self, *, is_weighty: bool) -> Sequence[int]:
        """The sentences that are read by themselves to find the one that decides."""
        return range(len(self.window.spans)) if is_weighty else (self.window.best,)

    def text_alone(self, sentence: int) -> str:
        """What is read of one sentence by itself."""
        return self.window.text if self.window.alone is None else self.window.alone(sentence)


def _sentences(window: Window) -> list[str]:
    """The words of each sentence of a window."""
    texts = [""] * len(window.spans)
    for piece in window.pieces:
        if piece.unit is not None:
            texts[piece.unit] += piece.text
    return texts


def decide(probabilities: "NDArray[np.float64]", thresholds: Sequence[float]) -> int:
    """0 supports, 1 refutes, 2 neutral: the likelier stance where it passes its threshold, else neutral."""
    likelier = 0 if probabilities[0] >= probabilities[1] else 1
    return likelier if probabilities[likelier] >= thresholds[likelier] else 2


def _is_same(sentence: str, claim: str) -> bool:
    """Whether both are one sentence but for signs and case; texts without a letter say nothing."""
    key = same_key(claim)
    return bool(key) and key == same_key(sentence)


def _rows(chances: Sequence[Chances]) -> "NDArray[np.float64]":
    import numpy as np

    return np.array([one.probabilities for one in chances], np.float64).reshape(len(chances), len(LABELS))
