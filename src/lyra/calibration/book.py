"""The calibration book: samples come in, fits are tried and versioned, evaluations kept, mistakes taken back."""

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.calibration.fits import FittedCalibration, FitTrial, split_version_name, try_fits, undo_fit
from lyra.calibration.measure import (
    CalibrationFigures,
    Degradation,
    LabelledPredictions,
    find_degradation,
    measure,
    to_arrays,
)
from lyra.calibration.predictions import Actual, Prediction, read_pair, read_pairs
from lyra.calibration.reports import (
    AddedSample,
    EvaluationResult,
    LanguageStats,
    RefitResult,
    ReliabilityDiagram,
    SourceStats,
)
from lyra.calibration.versions import adopt_fit, basis_name, previous_version, roll_back
from lyra.clock import Clock
from lyra.errors import CalibrationError, InvalidParams
from lyra.ids import new_id
from lyra.model.calibration import (
    CalibrationFit,
    CalibrationSample,
    CalibrationSource,
    Evaluation,
    JudgedEdge,
    Rollback,
)
from lyra.settings import Calibration
from lyra.storage import calibrations
from lyra.storage.database import Database
from lyra.text import is_japanese, normalise

if TYPE_CHECKING:
    from apsw import Connection

DEFAULT_LANGUAGE = "en"
MAX_CONTEXT_CHARS = 2_000
MAX_REASON_CHARS = 500


class CalibrationBook:
    """Everything that is learned about how sure the models may be; shared by all processes on one data directory.

    `bases` names for each source the weights and bundled calibration in use: what was learned of others stays stored
    and is not applied.
    """

    def __init__(
        self, db: Database, clock: Clock, settings: Calibration, bases: Mapping[CalibrationSource, str]
    ) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._bases = bases

    def basis(self, source: CalibrationSource) -> str:
        return self._bases.get(source, "")

    async def current(self, source: CalibrationSource) -> FittedCalibration:
        """The version in force now, whichever process put it there."""
        return FittedCalibration.of(await self._db.read(calibrations.active, source, self.basis(source)))

    async def add_sample(
        self,
        source: CalibrationSource,
        prediction: Prediction,
        actual: Actual,
        *,
        language: str | None = None,
        context: str = "",
    ) -> AddedSample:
        """Keep a prediction as the model gave it, before any fitted version, and what came true."""
        probabilities, truth = read_pair(source, prediction, actual)
        note = checked_text(context, "context", MAX_CONTEXT_CHARS)
        return await self._keep(
            CalibrationSample(
                id=new_id("cs"),
                source=source,
                language=language or _language_of(note),
                basis=self.basis(source),
                probabilities=probabilities,
                truth=truth,
                created_at=self._clock.now(),
                context=note,
            )
        )

    def sample_of(
        self, connection: "Connection", edge: JudgedEdge, truth: int, note: str, moment: datetime
    ) -> CalibrationSample | None:
        """What a review of an edge teaches of its reader; None where the edge keeps too little of what that said."""
        language = _language_of(edge.claim_text)
        bundled, version = split_version_name(edge.calibration_version)
        basis = basis_name(edge.model_id, bundled)
        fit = None
        if edge.answers is None:
            rows = calibrations.of_version(connection, CalibrationSource.NLI_JUDGE, basis, version)
            fit = FittedCalibration.of(rows).fits.get(language)
        said = _own_answer(edge, fit)
        if said is None:
            return None
        return CalibrationSample(
            id=new_id("cs"),
            source=CalibrationSource.NLI_JUDGE,
            language=language,
            basis=basis,
            probabilities=said,
            truth=truth,
            created_at=moment,
            edge_id=edge.id,
            context=note,
        )

    async def _keep(self, sample: CalibrationSample) -> AddedSample:
        kept = replace(sample, id=await self._db.write(calibrations.put_sample, sample))
        return (await self.fit_if_enough_samples([kept]))[kept.id]

    async def fit_if_enough_samples(self, kept: Sequence[CalibrationSample]) -> dict[str, AddedSample]:
        """Fit again where these stored samples are enough; the result for each, by its id."""
        results: dict[str, AddedSample] = {}
        kinds = dict.fromkeys((one.source, one.basis, one.language) for one in kept)
        for source, basis, language in kinds:
            is_current = basis == self.basis(source)
            pending = await self._db.read(calibrations.count_pending, source, basis, language)
            refit = None
            if is_current and pending >= self._settings.refit_after:
                refit = await self._refit(source, language)
                pending = await self._db.read(calibrations.count_pending, source, basis, language)
            own = [one for one in kept if (one.source, one.basis, one.language) == (source, basis, language)]
            results |= {one.id: AddedSample(one.id, pending, refit, is_current) for one in own}
        return results

    async def _refit(self, source: CalibrationSource, language: str) -> RefitResult:
        basis = self.basis(source)
        samples = await self._db.read(calibrations.newest_samples, source, basis, language, self._settings.max_samples)
        now = await self.current(source)
        trial = await asyncio.to_thread(self._try, source, samples, now.fits.get(language))
        version = await self._db.write(
            adopt_fit, source, basis, language, samples, trial, expected=now.version, moment=self._clock.now()
        )
        return RefitResult(language, version, trial)

    def _try(
        self, source: CalibrationSource, samples: Sequence[CalibrationSample], current: CalibrationFit | None
    ) -> FitTrial:
        logs, truth = to_arrays(_pairs(samples))
        settings = self._settings
        return try_fits(source, logs, truth, current, folds=settings.folds, min_improvement=settings.min_improvement)

    async def stats(self, source: CalibrationSource) -> SourceStats:
        """The figures of one source."""
        basis = self.basis(source)
        counts = await self._db.read(calibrations.count_samples, source, basis)
        rows = await self._db.read(calibrations.active, source, basis)
        newest = await self._db.read(calibrations.evaluations, source, None, 2)
        measured = await self._figures_of_samples(source)
        fitted = {row.language: row for row in rows}
        return SourceStats(
            source=source,
            current_version=FittedCalibration.of(rows).version,
            versions=await self._db.read(calibrations.version_numbers, source, basis),
            sample_count=sum(total for total, _ in counts.values()),
            pending_count=sum(pending for _, pending in counts.values()),
            brier_score=measured.brier_applied if measured else newest[0].brier_applied if newest else None,
            ece=measured.ece if measured else newest[0].expected_calibration_error if newest else None,
            degradation=find_degradation(newest, self._settings.degradation),
            languages=tuple(
                LanguageStats(language, *counts.get(language, (0, 0)), fitted.get(language))
                for language in sorted({*counts, *fitted})
            ),
        )

    async def _figures_of_samples(self, source: CalibrationSource) -> CalibrationFigures | None:
        samples = await self._db.read(
            calibrations.newest_samples, source, self.basis(source), None, self._settings.max_samples
        )
        if not samples:
            return None
        languages = [sample.language for sample in samples]
        return await asyncio.to_thread(measure, _pairs(samples), languages, await self.current(source))

    async def evaluate(
        self,
        source: CalibrationSource,
        predictions: Sequence[Prediction],
        labels: Sequence[Actual],
        *,
        language: str = DEFAULT_LANGUAGE,
    ) -> EvaluationResult:
        """Measure predictions, as the model gave them, against what came true, and keep the figures."""
        fitted = await self.current(source)
        found = await asyncio.to_thread(_measure, source, predictions, labels, language, fitted)
        evaluation = Evaluation(
            id=new_id("eval"),
            source=source,
            brier_score=found.brier,
            brier_score_calibrated=found.brier_calibrated,
            improvement_ratio=found.improvement_ratio,
            expected_calibration_error=found.ece,
            samples_evaluated=len(predictions),
            bins=found.bins,
            calibration_version=fitted.version,
            evaluated_at=self._clock.now(),
        )
        await self._db.write(calibrations.insert_evaluation, evaluation)
        newest = await self._db.read(calibrations.evaluations, source, None, 2)
        worse = find_degradation(newest, self._settings.degradation)
        again = functools.partial(_measure, source, predictions, labels, language)
        return EvaluationResult(evaluation, worse, await self._roll_back_by_itself(worse, again))

    async def _roll_back_by_itself(
        self, worse: Degradation | None, measured: Callable[[FittedCalibration], CalibrationFigures]
    ) -> Rollback | None:
        """Only where the user has allowed it, a new version came with the loss, and the one before does better.

        `measured` gives the same predictions' figures under another version: harder data, or data of a language that
        the new version left alone, are not its fault.
        """
        if worse is None or not self._settings.enable_auto_rollback:
            return None
        source, version = worse.latest.source, worse.latest.calibration_version
        if version <= worse.previous.calibration_version or version != (await self.current(source)).version:
            return None
        basis = self.basis(source)
        target = await self._db.read(previous_version, source, basis, version)
        earlier = FittedCalibration.of(await self._db.read(calibrations.of_version, source, basis, target))
        if (await asyncio.to_thread(measured, earlier)).brier_applied >= worse.latest.brier_applied:
            return None
        reason = f"Brier grew by {worse.worsening:.0%} with version {version}"
        return await self.rollback(source, target, reason, is_automatic=True)

    async def evaluations(
        self, source: CalibrationSource | None = None, *, limit: int = 20, since: datetime | None = None
    ) -> tuple[tuple[Evaluation, ...], int]:
        """The newest evaluations first, and how many there are in all."""
        found = await self._db.read(calibrations.evaluations, source, since, limit)
        return found, await self._db.read(calibrations.count_evaluations, source, since)

    async def diagram(self, source: CalibrationSource, evaluation_id: str | None = None) -> ReliabilityDiagram:
        """The bins of an evaluation, by default the latest; without any, those of the samples."""
        if evaluation_id is not None:
            found = await self._db.read(calibrations.evaluation, evaluation_id)
            if found is None or found.source is not source:
                raise InvalidParams(
                    f"The source {source} has no evaluation {evaluation_id[:60]!r}.",
                    remedy="List them with calibrate get_evaluations.",
                )
        else:
            newest = await self._db.read(calibrations.evaluations, source, None, 1)
            found = newest[0] if newest else None
        if found is not None:
            return ReliabilityDiagram(source, found.id, found.bins, found.expected_calibration_error)
        measured = await self._figures_of_samples(source)
        if measured is None:
            raise CalibrationError(
                f"The source {source} has neither evaluations nor samples.",
                remedy="Call calibrate evaluate or calibrate add_sample first.",
            )
        return ReliabilityDiagram(source, None, measured.bins, measured.ece)

    async def rollback(
        self,
        source: CalibrationSource,
        version: int | None = None,
        reason: str = "",
        *,
        is_automatic: bool = False,
    ) -> Rollback:
        """Put another version in force, by default the one before; 0 is the bundled calibration alone."""
        return await self._db.write(
            roll_back,
            source,
            self.basis(source),
            version,
            reason=checked_text(reason, "reason", MAX_REASON_CHARS),
            is_automatic=is_automatic,
            moment=self._clock.now(),
        )


def _measure(
    source: CalibrationSource,
    predictions: Sequence[Prediction],
    labels: Sequence[Actual],
    language: str,
    fitted: FittedCalibration,
) -> CalibrationFigures:
    pairs = read_pairs(source, predictions, labels)
    return measure(pairs, [language] * len(pairs), fitted)


def _pairs(samples: Sequence[CalibrationSample]) -> LabelledPredictions:
    return [(sample.probabilities, sample.truth) for sample in samples]


def _own_answer(edge: JudgedEdge, fit: CalibrationFit | None) -> tuple[float, ...] | None:
    """What the reader itself said about an edge, on the bundled calibration that fits are made on top of.

    Older edges keep no answers but what a fit made of them, which can be undone; what a rule made of them cannot.
    """
    if edge.answers is not None:
        return edge.answers.probabilities
    if edge.probabilities is None or edge.rule is not None:
        return None
    return tuple(edge.probabilities) if fit is None else undo_fit(fit, edge.probabilities)


def _language_of(text: str) -> str:
    """As the judge chooses a calibration: Japanese, or English for all else."""
    return "ja" if is_japanese(text) else DEFAULT_LANGUAGE


def checked_text(text: str, name: str, limit: int) -> str:
    if len(text) > limit:
        raise InvalidParams(f"{name} has {len(text)} characters; at most {limit} are taken.", remedy="Shorten it.")
    return normalise(text).strip()
