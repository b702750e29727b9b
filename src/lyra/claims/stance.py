"""What a text says of a claim: the text read by the model, its answer calibrated, and labelled by thresholds."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from lyra.calibration.bundled import chance_of
from lyra.claims.windows import Reading, read_for
from lyra.claims.words import content_words, same_key
from lyra.ml.protocols import Readers
from lyra.model.edge import Relation, Stance, TwoAnswers
from lyra.model.reader import Answer
from lyra.text import is_japanese

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)
DEFAULT_THRESHOLD = 0.5
# A sentence entails itself; what is left is that the claim may mean something else where it stands.
SAME_WORDS_PROBABILITY = 0.9
# The one rule, in the words that the edge keeps. Rules on effects, amounts and shared words did harm once the readers
# knew better: of the labels they changed on public and written pairs of both languages 143 had been right, 31 became.
SAME_WORDS = "it repeats the claim's words"
_REMEMBERED_WORDS = 4096


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

    def chances(self, answers: Sequence[Answer], languages: Sequence[str]) -> "Sequence[Chances]":
        """One for each answer, in order."""


class Correction(Protocol):
    """What users' corrections have taught, applied on top of the bundled calibration."""

    def apply(self, probabilities: "NDArray[np.float64]", languages: Sequence[str]) -> "NDArray[np.float64]":
        """Corrected rows (supports, refutes, neutral)."""

    def named(self, bundled: str) -> str:
        """The version of both together."""


class StanceJudge:
    """Judges pairs in batches.

    `thresholds` holds for `supports` and `refutes` the calibrated probability from which a text is said to do so;
    below it the text is neutral. `learned` is asked before every batch for the correction in force, which another
    process may have changed.
    """

    def __init__(
        self,
        readers: Readers,
        calibrator: Calibrator,
        thresholds: Mapping[str, float],
        learned: Callable[[], Awaitable[Correction]] | None = None,
    ) -> None:
        self._readers = readers
        self._calibrator = calibrator
        self._learned = learned
        self._thresholds = tuple(thresholds.get(label, DEFAULT_THRESHOLD) for label in LABELS[:2])
        self._words = lru_cache(_REMEMBERED_WORDS)(content_words)

    @property
    def thresholds(self) -> dict[str, float]:
        """The calibrated probability from which a text supports or refutes."""
        return {label.value: value for label, value in zip(LABELS[:2], self._thresholds, strict=True)}

    def readings(self, premise: str, hypothesis: str) -> tuple[str, ...]:
        """The texts that the model is asked about for a premise."""
        return (read_for(premise, hypothesis, self._words).text,)

    async def judge(
        self,
        pairs: Sequence[tuple[str, str]],
        titles: Sequence[str] | None = None,
        weighty: Sequence[bool] | None = None,
    ) -> list[Stance]:
        """The stance of each text towards its claim, in order: the reader's answers, calibrated once, then the rule.

        `titles` are those of the pages that the texts stand on; `window` is the text's most relevant sentence.
        `weighty` (all by default) are the pairs worth a larger reader's time.
        """
        if not pairs:
            return []
        read, repeats = await asyncio.to_thread(self._read, pairs, titles or [""] * len(pairs))
        texts = [(each.text, claim) for each, (_, claim) in zip(read, pairs, strict=True)]
        answers = await self._readers.read(texts, weighty)
        languages = ["ja" if is_japanese(claim) else "en" for _, claim in pairs]
        chances = self._calibrator.chances(answers, languages)
        rows, version = _rows(chances), self._calibrator.version
        if self._learned:
            correction = await self._learned()
            rows, version = correction.apply(rows, languages), correction.named(version)
        return [
            self._stance(each.best, rows[at], answers[at], chances[at], version, is_repeat=repeats[at])
            for at, each in enumerate(read)
        ]

    def _read(self, pairs: Sequence[tuple[str, str]], titles: Sequence[str]) -> tuple[list[Reading], list[bool]]:
        """What is read of each text, and whether its most relevant sentence is the claim itself."""
        read = [
            read_for(premise, hypothesis, self._words, title)
            for (premise, hypothesis), title in zip(pairs, titles, strict=True)
        ]
        return read, [_is_same(each.best, claim) for each, (_, claim) in zip(read, pairs, strict=True)]

    def _stance(
        self,
        window: str,
        calibrated: "NDArray[np.float64]",
        answer: Answer,
        chances: Chances,
        version: str,
        *,
        is_repeat: bool,
    ) -> Stance:
        """`probabilities` stay what the reader said, calibrated; label and confidence are what came of it."""
        supports, refutes, neutral = (float(value) for value in calibrated)
        label = decide(calibrated, self._thresholds)
        confidence, rule = float(calibrated[label]), ""
        if is_repeat and (LABELS[label] is not Relation.SUPPORTS or confidence < SAME_WORDS_PROBABILITY):
            label, confidence, rule = 0, SAME_WORDS_PROBABILITY, SAME_WORDS
        two = TwoAnswers(chance_of(answer.bears), chance_of(answer.side), chances.bears, chances.side)
        raw = two.raw_probabilities
        return Stance(
            label=LABELS[label],
            confidence=confidence,
            raw_confidence=raw[label],
            probabilities=(supports, refutes, neutral),
            model_id=answer.model_id,
            calibration_version=version,
            window=window,
            raw_probabilities=raw,
            rule=rule,
            reader=answer.reader,
            answers=two,
        )


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
