"""What a text says of a claim: the text read by the model, its answer calibrated, and labelled by thresholds."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from lyra.claims.effects import agreement
from lyra.claims.windows import Reading, read_for
from lyra.claims.words import content_words
from lyra.ml.protocols import Entailer
from lyra.model.edge import Relation, Stance
from lyra.text import is_japanese

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)
DEFAULT_THRESHOLD = 0.5
# How much an agreement of effects weighs: the odds of support against refutation times its square. The value makes
# SciFact, HealthVer and the simulated web likeliest; 2 and more already overrule the model too often.
EFFECT_WEIGHT = 1.5
# A fragment that shares less of a claim's weighted words speaks of something else. Public pairs would allow 0.2: their
# refutations are as often right from there on. They hold few neutral texts of one topic, though, and a graph many: on
# the simulated web 0.2 makes 5 false contradictions of 22, 0.4 makes 2 of 12.
REFUTING_OVERLAP = 0.4
# The rules, in the words that the edge keeps.
SAME_EFFECT = "it speaks of the same effect"
OTHER_EFFECT = "it speaks of another effect"
FEW_WORDS = "it shares too few words with the claim to refute it"
_REMEMBERED_WORDS = 4096
_TINY = 1e-12


class Calibrator(Protocol):
    """Logits to probabilities that mean what they say."""

    version: str

    def apply(self, logits: "NDArray[np.floating]", languages: Sequence[str]) -> "NDArray[np.float64]":
        """One row of probabilities (supports, refutes, neutral) per row of logits."""


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
        entailer: Entailer,
        calibrator: Calibrator,
        thresholds: Mapping[str, float],
        learned: Callable[[], Awaitable[Correction]] | None = None,
    ) -> None:
        self._entailer = entailer
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
        overlaps: Sequence[float] | None = None,
        titles: Sequence[str] | None = None,
    ) -> list[Stance]:
        """The stance of each premise towards its hypothesis, in order.

        The model's probabilities are corrected by the effects both speak of; `window` is the premise's most relevant
        sentence. `overlaps` are the shares of common words that the prefilter found: a premise that has too little in
        common with a claim cannot refute it. `titles` are those of the pages that the premises stand on.
        """
        if not pairs:
            return []
        read, agreed = await asyncio.to_thread(self._read, pairs, titles or [""] * len(pairs))
        logits = await self._entailer.logits([(each.text, pair[1]) for each, pair in zip(read, pairs, strict=True)])
        languages = ["ja" if is_japanese(hypothesis) else "en" for _, hypothesis in pairs]
        unleaned = self._calibrator.apply(logits, languages)
        calibrated = _leaned(unleaned, agreed)
        rules = [self._lean_rule(*rows) for rows in zip(unleaned, calibrated, agreed, strict=True)]
        version = self._calibrator.version
        if self._learned:
            correction = await self._learned()
            calibrated = correction.apply(calibrated, languages)
            version = correction.named(version)
        raw = _softmax(logits)
        shares = overlaps if overlaps is not None else [1.0] * len(pairs)
        return [
            self._stance(
                each.best, calibrated[at], raw[at], version, rules[at], can_refute=shares[at] >= REFUTING_OVERLAP
            )
            for at, each in enumerate(read)
        ]

    def _read(self, pairs: Sequence[tuple[str, str]], titles: Sequence[str]) -> tuple[list[Reading], list[int]]:
        """What is read of each premise, and whether it agrees with its hypothesis on an effect."""
        read = [
            read_for(premise, hypothesis, self._words, title)
            for (premise, hypothesis), title in zip(pairs, titles, strict=True)
        ]
        return read, [agreement(each.best, hypothesis) for each, (_, hypothesis) in zip(read, pairs, strict=True)]

    def _lean_rule(self, before: "NDArray[np.float64]", after: "NDArray[np.float64]", agreed: int) -> str:
        """The rule of effects, where it and not the model decided."""
        if decide(before, self._thresholds) == decide(after, self._thresholds):
            return ""
        return SAME_EFFECT if agreed > 0 else OTHER_EFFECT

    def _stance(
        self,
        window: str,
        calibrated: "NDArray[np.float64]",
        raw: "NDArray[np.float64]",
        version: str,
        rule: str,
        *,
        can_refute: bool,
    ) -> Stance:
        label = decide(calibrated, self._thresholds)
        if LABELS[label] is Relation.REFUTES and not can_refute:
            label, rule = LABELS.index(Relation.NEUTRAL), FEW_WORDS
        supports, refutes, neutral = (float(value) for value in calibrated)
        return Stance(
            label=LABELS[label],
            confidence=float(calibrated[label]),
            raw_confidence=float(raw[label]),
            probabilities=(supports, refutes, neutral),
            model_id=self._entailer.model_id,
            calibration_version=version,
            window=window,
            raw_probabilities=(float(raw[0]), float(raw[1]), float(raw[2])),
            rule=rule,
        )


def decide(probabilities: "NDArray[np.float64]", thresholds: Sequence[float]) -> int:
    """0 supports, 1 refutes, 2 neutral: the likelier stance where it passes its threshold, else neutral."""
    likelier = 0 if probabilities[0] >= probabilities[1] else 1
    return likelier if probabilities[likelier] >= thresholds[likelier] else 2


def _leaned(rows: "NDArray[np.float64]", agreed: Sequence[int]) -> "NDArray[np.float64]":
    """Rows with the two stances reweighted by the agreement of effects; what is neutral stays so."""
    import numpy as np

    factor = EFFECT_WEIGHT ** np.array(agreed, np.float64)
    stances = rows[:, :2] * np.stack([factor, 1 / factor], axis=1)
    scale = rows[:, :2].sum(axis=1) / np.maximum(stances.sum(axis=1), _TINY)
    return np.concatenate([stances * scale[:, None], rows[:, 2:]], axis=1)


def _softmax(logits: "NDArray[np.floating]") -> "NDArray[np.float64]":
    import numpy as np

    raised = np.exp(np.asarray(logits, np.float64) - logits.max(axis=1, keepdims=True))
    probabilities: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return probabilities
