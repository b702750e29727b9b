"""The calibration book on a real database: samples, fits, versions, evaluations, rollbacks."""

import asyncio
import json

import numpy as np
import pytest

from lyra.calibration.book import CalibrationBook
from lyra.calibration.fits import FittedCalibration, apply_fit, log_rows
from lyra.errors import CalibrationError, InvalidParams
from lyra.model.calibration import CalibrationSource
from lyra.storage.database import Database

from .conftest import BASIS, Correct, OpenBook, Rows, feed, overconfident, store_edges

NLI, LLM = CalibrationSource.NLI_JUDGE, CalibrationSource.LLM_EXTRACT
CLAIM = "DPP-4阻害薬は心不全による入院を増やす。"


async def test_nothing_is_fitted_before_there_are_enough_samples(book: CalibrationBook) -> None:
    """Forty-nine samples are pending; the fiftieth makes the fit."""
    added = await feed(book, overconfident(49))

    assert [one.pending_count for one in added] == list(range(1, 50))
    assert [one.refit for one in added] == [None] * 49
    assert await book.current(NLI) == FittedCalibration()


async def test_enough_samples_of_an_overconfident_judge_are_fitted_and_help(book: CalibrationBook) -> None:
    """The fit is adopted as version 1, counts anew, and lowers Brier on samples that came later."""
    added = await feed(book, overconfident(50))

    fitted = await book.current(NLI)
    refit = added[-1].refit
    assert refit is not None
    assert (refit.version, refit.language, refit.trial.reason) == (1, "en", "better on samples it has not seen")
    assert (added[-1].pending_count, fitted.version, list(fitted.fits)) == (0, 1, ["en"])
    later = overconfident(400, seed=11)
    said = np.array([row for row, _ in later])
    truth = np.eye(3)[[("supports", "refutes", "neutral").index(label) for _, label in later]]
    before = ((said - truth) ** 2).sum(axis=1).mean()
    after = ((fitted.apply(said, ["en"] * 400) - truth) ** 2).sum(axis=1).mean()
    assert after < 0.85 * before


async def test_a_fit_is_in_the_journal(book: CalibrationBook, rows: Rows) -> None:
    """Which version, for which language, from how many samples, and by how much it helped."""
    await feed(book, overconfident(50))

    ((kind, subject, details),) = rows("select kind, subject, details from event_log")

    told = json.loads(str(details))
    assert (kind, subject) == ("calibration_fitted", "nli_judge")
    assert (told["version"], told["language"], told["samples"]) == (1, "en", 50)
    assert told["brier_after"] < told["brier_before"]


async def test_a_fit_that_does_not_help_is_not_adopted_and_not_tried_again_at_once(book: CalibrationBook) -> None:
    """Fifty mistakes alone teach nothing; the next attempt waits for fifty more samples."""
    added = await feed(book, [([0.9, 0.05, 0.05], "refutes")] * 51)

    refit = added[49].refit
    assert refit is not None
    assert (refit.version, refit.trial.reason) == (None, "only 0 samples are right; 5 are needed")
    assert (added[50].refit, added[50].pending_count) == (None, 1)
    assert await book.current(NLI) == FittedCalibration()


async def test_languages_are_fitted_apart_and_carried_along(book: CalibrationBook, rows: Rows) -> None:
    """Version 2 adds Japanese and keeps the English fit of version 1."""
    await feed(book, overconfident(50), "en")
    english = (await book.current(NLI)).fits["en"]

    await feed(book, overconfident(50, seed=4), "ja")

    fitted = await book.current(NLI)
    assert (fitted.version, sorted(fitted.fits), fitted.fits["en"]) == (2, ["en", "ja"], english)
    assert rows("select version, language, fitted_in, is_active from calibration_parameters order by 1, 2") == [
        (1, "en", 1, 0),
        (2, "en", 1, 1),
        (2, "ja", 2, 1),
    ]


async def test_sources_are_fitted_apart(book: CalibrationBook) -> None:
    """Samples of the extractor's single probabilities leave the judge alone."""
    random = np.random.default_rng(2)
    honest = random.normal(0, 1, 80)
    for log_odds, roll in zip(honest, random.random(80), strict=True):
        said = float(1 / (1 + np.exp(-4 * log_odds)))
        await book.add_sample(LLM, said, bool(roll < 1 / (1 + np.exp(-log_odds))))

    assert ((await book.current(LLM)).version, (await book.current(NLI)).version) == (1, 0)


async def test_what_was_learned_of_other_weights_is_not_applied(book: CalibrationBook, open_book: OpenBook) -> None:
    """New weights start from their bundled calibration, count their own samples, and find the old fits kept."""
    await feed(book, overconfident(50))
    renewed = open_book("two_answers-11111111")

    (added,) = await feed(renewed, overconfident(1))

    assert (await renewed.current(NLI), added.pending_count) == (FittedCalibration(), 1)
    assert (await renewed.stats(NLI)).versions == ()
    assert (await book.current(NLI)).version == 1


async def test_context_tells_the_language_where_none_is_given(book: CalibrationBook) -> None:
    """Japanese words make it a Japanese sample."""
    await book.add_sample(NLI, 0.8, True, context="薬剤の安全性について")
    await book.add_sample(NLI, 0.8, True, context="on the safety of the drug")
    await book.add_sample(NLI, 0.8, True)

    stats = await book.stats(NLI)

    assert [(one.language, one.sample_count) for one in stats.languages] == [("en", 2), ("ja", 1)]


async def test_stats_are_of_the_samples_with_the_fit_applied(book: CalibrationBook) -> None:
    """Two single predictions: (0.2² + 0.6²) / 2, before anything was fitted."""
    await book.add_sample(NLI, 0.8, True)
    await book.add_sample(NLI, 0.6, False)

    stats = await book.stats(NLI)

    assert (stats.sample_count, stats.pending_count, stats.current_version) == (2, 2, 0)
    assert (stats.brier_score, stats.ece, stats.degradation) == (pytest.approx(0.2), pytest.approx(0.4), None)


async def test_stats_without_samples_are_of_the_latest_evaluation(book: CalibrationBook) -> None:
    """And without either there are none."""
    empty = await book.stats(NLI)

    await book.evaluate(NLI, [0.8, 0.6], [True, False])

    stats = await book.stats(NLI)
    assert (empty.brier_score, empty.ece, empty.sample_count) == (None, None, 0)
    assert (stats.brier_score, stats.ece, stats.sample_count) == (pytest.approx(0.2), pytest.approx(0.4), 0)


async def test_a_corrected_edge_is_a_sample(correct: Correct, book: CalibrationBook, db: Database, rows: Rows) -> None:
    """The edge's probabilities are the prediction, its claim gives the language, and the edge follows what was said."""
    (edge_id,) = await db.write(store_edges, 1, "two_answers-705aaa71", CLAIM, (0.7, 0.2, 0.1))

    added = await correct(book, edge_id, "neutral", context="本文は試験計画を述べるのみ")

    assert (added.pending_count, added.counts_for_current_model) == (1, True)
    sql = "select source, language, basis, prediction, probabilities, actual, edge_id, context from calibration_samples"
    assert rows(sql) == [
        ("nli_judge", "ja", BASIS, 0.7, "[0.7,0.2,0.1]", "neutral", edge_id, "本文は試験計画を述べるのみ")
    ]
    sql = "select relation, nli_confidence, nli_label, nli_probabilities from edges"
    assert rows(sql) == [("neutral", 0.98, "supports", "[0.7,0.2,0.1]")]


async def test_a_second_correction_replaces_the_first(
    correct: Correct, book: CalibrationBook, db: Database, rows: Rows
) -> None:
    """A person may change their mind; one edge is one sample."""
    (edge_id,) = await db.write(store_edges, 1, "two_answers-705aaa71", CLAIM, (0.7, 0.2, 0.1))
    first = await correct(book, edge_id, "neutral")

    second = await correct(book, edge_id, True)

    assert (second.sample_id, second.pending_count) == (first.sample_id, 1)
    assert rows("select actual from calibration_samples") == [("supports",)]


async def test_an_edge_judged_under_a_fit_gives_its_prediction_before_it(
    correct: Correct, book: CalibrationBook, db: Database, rows: Rows
) -> None:
    """Otherwise the next fit would be made on top of this one twice."""
    await feed(book, overconfident(50), "ja")
    fit = (await book.current(NLI)).fits["ja"]
    (judged,) = apply_fit(fit, log_rows([(0.7, 0.2, 0.1)]))
    (edge_id,) = await db.write(store_edges, 1, "two_answers-705aaa71+v1", CLAIM, tuple(judged.tolist()))

    await correct(book, edge_id, "refutes")

    ((stored,),) = rows("select probabilities from calibration_samples where edge_id is not null")
    assert json.loads(str(stored)) == pytest.approx([0.7, 0.2, 0.1])


async def test_corrections_of_edges_make_a_fit(correct: Correct, book: CalibrationBook, db: Database) -> None:
    """Fifty corrected edges of a judge that is sure and half right: it becomes less sure."""
    ids = await db.write(store_edges, 50, "two_answers-705aaa71", CLAIM, (0.96, 0.02, 0.02))

    added = [await correct(book, one, "supports" if at % 2 else "neutral") for at, one in enumerate(ids)]

    fitted = await book.current(NLI)
    (corrected,) = fitted.apply(np.array([[0.96, 0.02, 0.02]]), ["ja"])
    assert (added[-1].refit is not None, fitted.version) == (True, 1)
    assert 0.4 < corrected[0] < 0.75


async def test_a_correction_changed_after_a_fit_counts_anew(
    correct: Correct, book: CalibrationBook, db: Database
) -> None:
    """The next fit must hear of it."""
    ids = await db.write(store_edges, 50, "two_answers-705aaa71", CLAIM, (0.96, 0.02, 0.02))
    for edge_id in ids:
        settled = await correct(book, edge_id, "neutral")

    changed = await correct(book, ids[0], "supports")

    assert (settled.pending_count, changed.pending_count) == (0, 1)


async def test_whichever_reader_decided_corrections_are_learned_together(
    correct: Correct, book: CalibrationBook, db: Database
) -> None:
    """Calibrated chances mean the same from both, so that twenty-five corrections of each make one fit."""
    small = await db.write(store_edges, 25, BASIS, CLAIM, (0.96, 0.02, 0.02), "lyra-reader-small@3.0.0+66a34e80")
    other = await db.write(store_edges, 25, BASIS, "心不全は増えない。", (0.96, 0.02, 0.02), "lyra-reader-japanese@1+0")

    added = [await correct(book, one, "supports" if at % 2 else "neutral") for at, one in enumerate(small + other)]

    assert {one.counts_for_current_model for one in added} == {True}
    assert (added[-1].refit is not None, (await book.current(NLI)).version) == (True, 1)


@pytest.mark.parametrize(
    "version",
    [
        pytest.param("two_answers-705aaa71", id="other readers"),
        pytest.param("vector-705aaa71", id="the one model that judged before there were readers"),
    ],
)
async def test_edges_of_other_weights_are_kept_but_do_not_count(
    correct: Correct, open_book: OpenBook, db: Database, rows: Rows, version: str
) -> None:
    """The labels are worth keeping; the predictions say nothing of the weights in use, so fifty of them fit nothing."""
    ids = await db.write(store_edges, 50, version, CLAIM, (0.96, 0.02, 0.02))
    renewed = open_book("two_answers-11111111")

    added = [await correct(renewed, one, "supports" if at % 2 else "neutral") for at, one in enumerate(ids)]

    assert {(one.counts_for_current_model, one.refit) for one in added} == {(False, None)}
    assert (await renewed.stats(NLI)).sample_count == 0
    assert rows("select count(*), count(distinct basis) from calibration_samples") == [(50, 1)]


@pytest.mark.parametrize("edge_id", ["e_0000000000000000", "", "' or 1=1 --", "e" * 10_000])
async def test_an_unknown_edge_is_refused(correct: Correct, book: CalibrationBook, edge_id: str) -> None:
    """With the way to find the edges there are."""
    with pytest.raises(InvalidParams) as caught:
        await correct(book, edge_id, "neutral")

    assert caught.value.remedy == "Take edge_id from v_review_queue, or from edges WHERE task_id = '…'."


async def test_a_lone_surrogate_is_dropped_from_context_and_refused_as_an_id(
    correct: Correct, book: CalibrationBook
) -> None:
    """Half a character can be neither stored nor found."""
    added = await book.add_sample(NLI, 0.5, True, context="half \ud800 a character")

    with pytest.raises(InvalidParams):
        await correct(book, "e_\ud800", "neutral")

    assert added.pending_count == 1


async def test_a_context_of_a_megabyte_is_refused(book: CalibrationBook) -> None:
    """It is a note, not a document."""
    with pytest.raises(InvalidParams) as caught:
        await book.add_sample(NLI, 0.5, True, context="x" * 1_000_000)

    assert caught.value.message == "context has 1000000 characters; at most 2000 are taken."


async def test_an_evaluation_is_kept_with_exactly_the_columns_of_the_design(book: CalibrationBook, rows: Rows) -> None:
    """Seed 004 §4.6.1 names eleven columns."""
    evaluated = await book.evaluate(LLM, [0.8, 0.6], [1, 0])

    names = [name for (name,) in rows("select name from pragma_table_info('calibration_evaluations')")]
    ((bins,),) = rows("select bins_json from calibration_evaluations")
    assert names == [
        "id", "source", "brier_score", "brier_score_calibrated", "improvement_ratio", "expected_calibration_error",
        "samples_evaluated", "bins_json", "calibration_version", "evaluated_at", "created_at",
    ]  # fmt: skip
    assert [(one["lower"], one["count"]) for one in json.loads(str(bins)) if one["count"]] == [(0.6, 1), (0.8, 1)]
    assert (await book.evaluations(LLM)) == ((evaluated.evaluation,), 1)


async def test_an_evaluation_shows_what_the_version_in_force_is_worth(book: CalibrationBook) -> None:
    """Brier before and after it, on data that it has not seen."""
    await feed(book, overconfident(50))
    later = overconfident(300, seed=11)

    found = (await book.evaluate(NLI, [row for row, _ in later], [label for _, label in later])).evaluation

    assert (found.calibration_version, found.samples_evaluated) == (1, 300)
    assert found.brier_score_calibrated is not None
    assert found.improvement_ratio == pytest.approx(1 - found.brier_score_calibrated / found.brier_score)
    assert found.improvement_ratio > 0.15


async def test_evaluations_are_listed_by_source_time_and_limit(book: CalibrationBook) -> None:
    """The newest first, with the number of all that match."""
    first = (await book.evaluate(NLI, [0.9], [1])).evaluation
    second = (await book.evaluate(LLM, [0.9], [1])).evaluation
    third = (await book.evaluate(NLI, [0.8], [1])).evaluation

    assert await book.evaluations() == ((third, second, first), 3)
    assert await book.evaluations(NLI, limit=1) == ((third,), 2)
    assert await book.evaluations(since=second.evaluated_at) == ((third, second), 2)


async def test_degradation_is_told_with_its_figures(book: CalibrationBook) -> None:
    """Brier from 0.04 to 0.09: told at once and in the statistics, and nothing is rolled back."""
    await feed(book, overconfident(50))
    good = (await book.evaluate(LLM, [0.8], [1])).evaluation

    evaluated = await book.evaluate(LLM, [0.7], [1])

    stats = await book.stats(LLM)
    assert evaluated.degradation is not None
    assert (evaluated.degradation.previous, evaluated.degradation.worsening) == (good, pytest.approx(1.25))
    assert (stats.degradation, evaluated.rollback) == (evaluated.degradation, None)
    assert (await book.current(NLI)).version == 1


async def _worse_with_a_new_version(book: CalibrationBook) -> tuple[list[list[float]], list[str]]:
    """An evaluation before any fit; then samples of another world than the one that is evaluated."""
    honest = [([0.9, 0.05, 0.05], "supports")] * 9 + [([0.9, 0.05, 0.05], "refutes")]
    predictions, labels = [row for row, _ in honest], [label for _, label in honest]
    await book.evaluate(NLI, predictions, labels)
    await feed(book, overconfident(50))
    return predictions, labels


async def test_without_leave_nothing_is_rolled_back_by_itself(book: CalibrationBook) -> None:
    """The client decides (SPEC §7)."""
    predictions, labels = await _worse_with_a_new_version(book)

    evaluated = await book.evaluate(NLI, predictions, labels)

    assert (evaluated.degradation is not None, evaluated.rollback) == (True, None)
    assert (await book.current(NLI)).version == 1


async def test_with_leave_a_version_that_made_things_worse_is_rolled_back(open_book: OpenBook, rows: Rows) -> None:
    """Told in the answer, in the audit and in the journal."""
    book = open_book(enable_auto_rollback=True)
    predictions, labels = await _worse_with_a_new_version(book)

    evaluated = await book.evaluate(NLI, predictions, labels)

    assert evaluated.rollback is not None
    assert (evaluated.rollback.rolled_back_to, evaluated.rollback.is_automatic) == (0, True)
    assert await book.current(NLI) == FittedCalibration()
    assert rows("select previous_version, rolled_back_to, is_automatic from calibration_rollbacks") == [(1, 0, 1)]


async def test_harder_data_alone_roll_nothing_back(open_book: OpenBook) -> None:
    """A rollback can only undo what a version did."""
    book = open_book(enable_auto_rollback=True)
    await feed(book, overconfident(50))
    await book.evaluate(NLI, [0.9], [1])

    evaluated = await book.evaluate(NLI, [0.9], [0])

    assert (evaluated.degradation is not None, evaluated.rollback) == (True, None)
    assert (await book.current(NLI)).version == 1


async def test_a_version_that_did_better_is_kept_however_hard_the_data(open_book: OpenBook) -> None:
    """Brier grew although the new version helps: the one before would have done worse on the same predictions."""
    book = open_book(enable_auto_rollback=True)
    await book.evaluate(NLI, [[0.98, 0.01, 0.01]], ["supports"])
    await feed(book, overconfident(50))
    harder = overconfident(50, seed=9)

    evaluated = await book.evaluate(NLI, [row for row, _ in harder], [label for _, label in harder])

    assert (evaluated.degradation is not None, evaluated.rollback) == (True, None)
    assert (await book.current(NLI)).version == 1


async def test_a_version_of_another_language_is_not_to_blame(open_book: OpenBook) -> None:
    """Harder English data after a fit to Japanese samples leave the fit in force."""
    book = open_book(enable_auto_rollback=True)
    await book.evaluate(NLI, [0.9], [1])
    await feed(book, overconfident(50), "ja")

    evaluated = await book.evaluate(NLI, [0.9], [0], language="en")

    assert (evaluated.degradation is not None, evaluated.rollback) == (True, None)
    assert (await book.current(NLI)).version == 1


async def test_rollback_does_not_return_to_a_version_that_was_taken_back(book: CalibrationBook) -> None:
    """Version 2 replaced the bundled calibration, not version 1, which had been taken back before."""
    await feed(book, overconfident(50))
    await book.rollback(NLI, reason="worse")
    await feed(book, overconfident(50, seed=9))

    done = await book.rollback(NLI)

    assert (done.previous_version, done.rolled_back_to) == (2, 0)


async def test_rollback_returns_to_the_version_before_and_is_audited(book: CalibrationBook, rows: Rows) -> None:
    """From 2 to 1 to 0; numbers are never used twice."""
    await feed(book, overconfident(50), "en")
    await feed(book, overconfident(50, seed=4), "ja")

    first = await book.rollback(NLI, reason="日本語の判定が悪化した")
    second = await book.rollback(NLI)

    assert (first.previous_version, first.rolled_back_to, second.rolled_back_to) == (2, 1, 0)
    assert await book.current(NLI) == FittedCalibration()
    assert (await book.stats(NLI)).versions == (1, 2)
    sql = "select kind, subject, json_extract(details, '$.from', '$.to', '$.reason') from event_log where id > 2"
    assert rows(sql) == [
        ("calibration_rolled_back", "nli_judge", '[2,1,"日本語の判定が悪化した"]'),
        ("calibration_rolled_back", "nli_judge", '[1,0,""]'),
    ]


async def test_a_version_taken_back_can_be_put_in_force_again(book: CalibrationBook) -> None:
    """Nothing is deleted: the same fits return."""
    await feed(book, overconfident(50))
    before = await book.current(NLI)
    await book.rollback(NLI, 0)

    await book.rollback(NLI, 1)

    assert await book.current(NLI) == before


async def test_a_fit_after_a_rollback_gets_a_new_number(book: CalibrationBook) -> None:
    """What version 1 was stays what it was."""
    await feed(book, overconfident(50))
    await book.rollback(NLI)

    added = await feed(book, overconfident(50, seed=9))

    refit = added[-1].refit
    assert refit is not None
    assert (refit.version, (await book.current(NLI)).version) == (2, 2)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        pytest.param(7, "Version 7 of nli_judge does not exist for the weights in use.", id="none"),
        pytest.param(1, "Version 1 of nli_judge is already in use.", id="current"),
    ],
)
async def test_a_rollback_to_nowhere_is_refused(book: CalibrationBook, version: int, message: str) -> None:
    """With the versions there are; the one in force stays."""
    await feed(book, overconfident(50))

    with pytest.raises(InvalidParams) as caught:
        await book.rollback(NLI, version)

    assert (caught.value.message, caught.value.remedy) == (message, "Choose one of: 0.")
    assert (await book.current(NLI)).version == 1


async def test_with_nothing_to_roll_back_it_says_so(book: CalibrationBook) -> None:
    """A calibration error, not a change of nothing."""
    with pytest.raises(CalibrationError) as caught:
        await book.rollback(LLM)

    assert caught.value.code == "CALIBRATION_ERROR"


async def test_the_diagram_is_of_the_latest_evaluation_a_named_one_or_the_samples(book: CalibrationBook) -> None:
    """In this order; without any of them it is a typed error."""
    with pytest.raises(CalibrationError):
        await book.diagram(NLI)
    await book.add_sample(NLI, 0.3, False)
    of_samples = await book.diagram(NLI)
    first = (await book.evaluate(NLI, [0.9], [1])).evaluation
    latest = (await book.evaluate(NLI, [0.5], [1])).evaluation

    of_latest, of_first = await book.diagram(NLI), await book.diagram(NLI, first.id)

    assert (of_samples.evaluation_id, of_samples.ece) == (None, pytest.approx(0.3))
    assert (of_latest.evaluation_id, of_latest.bins) == (latest.id, latest.bins)
    assert (of_first.evaluation_id, of_first.ece) == (first.id, pytest.approx(0.1))


async def test_a_diagram_of_another_source_is_refused(book: CalibrationBook) -> None:
    """An evaluation belongs to one source."""
    evaluation = (await book.evaluate(NLI, [0.9], [1])).evaluation

    with pytest.raises(InvalidParams):
        await book.diagram(LLM, evaluation.id)


async def test_samples_added_at_once_make_one_version(book: CalibrationBook, rows: Rows) -> None:
    """Several calls see the fiftieth sample together; only the first to finish adopts."""
    samples = overconfident(60)
    await feed(book, samples[:48])

    await asyncio.gather(*(book.add_sample(NLI, row, label) for row, label in samples[48:]))

    assert rows("select distinct version from calibration_parameters") == [(1,)]
