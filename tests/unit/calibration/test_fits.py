"""Fits, applied, undone and chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lyra.calibration.fits import (
    LEAST_OF_EACH,
    FittedCalibration,
    FitTrial,
    apply_fit,
    decisions,
    fit_by,
    log_rows,
    split_version_name,
    try_fits,
    undo_fit,
)
from lyra.errors import CalibrationError
from lyra.model.calibration import CalibrationFit, CalibrationSource, FitMethod

HOT = CalibrationFit(FitMethod.TEMPERATURE, {"temperature": 2.0})
SHIFT = CalibrationFit(FitMethod.VECTOR, {"scale": [1.0, 1.0, 1.0], "bias": [0.0, float(np.log(0.5)), 0.0]})
PLATT = CalibrationFit(FitMethod.PLATT, {"a": 1.0, "b": float(np.log(2))})
NLI, LLM = CalibrationSource.NLI_JUDGE, CalibrationSource.LLM_EXTRACT

chances = st.floats(0.001, 0.999)
triples = st.tuples(chances, chances, chances).map(lambda row: tuple(value / sum(row) for value in row))
fits = st.one_of(
    st.builds(lambda t: CalibrationFit(FitMethod.TEMPERATURE, {"temperature": t}), st.floats(0.2, 5)),
    st.builds(
        lambda s, b: CalibrationFit(FitMethod.VECTOR, {"scale": list(s), "bias": list(b)}),
        st.tuples(*[st.floats(0.2, 5)] * 3),
        st.tuples(*[st.floats(-3, 3)] * 3),
    ),
)


def overconfident(rows: int, classes: int, seed: int = 3) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Predictions whose log-odds are three times too large, and what came true."""
    random = np.random.default_rng(seed)
    honest = random.normal(0, 1.2, (rows, classes))
    true_chances = np.exp(honest) / np.exp(honest).sum(axis=1, keepdims=True)
    truth = (true_chances.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1)
    said = np.exp(3 * honest) / np.exp(3 * honest).sum(axis=1, keepdims=True)
    return log_rows(said.tolist()), truth


def tried(
    source: CalibrationSource, logs: NDArray[np.float64], truth: NDArray[np.intp], current: CalibrationFit | None
) -> FitTrial:
    return try_fits(source, logs, truth, current, folds=5, min_improvement=0.01)


@pytest.mark.parametrize(
    ("fit", "given_", "expected"),
    [
        pytest.param(None, (0.8, 0.15, 0.05), (0.8, 0.15, 0.05), id="no fit"),
        pytest.param(HOT, (0.8, 0.2), (2 / 3, 1 / 3, 0.0), id="temperature, single"),
        pytest.param(HOT, (0.64, 0.32, 0.04), (0.8, 0.5657, 0.2), id="temperature, stance"),
        pytest.param(SHIFT, (0.4, 0.4, 0.2), (0.5, 0.25, 0.25), id="vector halves the odds of refutes"),
        pytest.param(SHIFT, (0.9, 0.1), (0.9, 0.1, 0.0), id="vector leaves a single probability"),
        pytest.param(PLATT, (0.5, 0.5), (2 / 3, 1 / 3, 0.0), id="Platt doubles the odds"),
        pytest.param(PLATT, (0.4, 0.4, 0.2), (0.4, 0.4, 0.2), id="Platt leaves a stance"),
    ],
)
def test_fits_are_applied_to_what_they_speak_of(
    fit: CalibrationFit | None, given_: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    """Square roots for temperature 2, shifted odds for a bias; other kinds of predictions stay as they are."""
    (row,) = apply_fit(fit, log_rows([given_]))

    assert row.tolist() == pytest.approx([value / sum(expected) for value in expected], abs=1e-4)


@given(fit=fits, row=triples)
def test_undoing_gives_back_what_the_fit_was_applied_to(fit: CalibrationFit, row: tuple[float, ...]) -> None:
    """An edge judged under a fitted version still yields the prediction before it."""
    (applied,) = apply_fit(fit, log_rows([row]))

    assert undo_fit(fit, applied.tolist()) == pytest.approx(row, abs=1e-6)


def test_a_fit_that_did_not_speak_of_a_row_is_not_undone() -> None:
    """A single probability passed a vector fit untouched."""
    assert undo_fit(SHIFT, (0.7, 0.3)) == (0.7, 0.3)


@given(fit=fits, row=triples)
def test_fitted_rows_are_probabilities(fit: CalibrationFit, row: tuple[float, ...]) -> None:
    """Whatever is fitted, rows stay within 0 and 1 and add up to 1."""
    (applied,) = apply_fit(fit, log_rows([row]))

    assert (applied.sum(), bool((applied >= 0).all())) == (pytest.approx(1.0), True)


@given(temperature=st.floats(0.05, 20), low=chances, high=chances)
def test_fits_keep_the_order_of_single_probabilities(temperature: float, low: float, high: float) -> None:
    """What the model held likelier stays at least as likely."""
    fit = CalibrationFit(FitMethod.TEMPERATURE, {"temperature": temperature})
    less, more = sorted((low, high))

    first, second = apply_fit(fit, log_rows([(less, 1 - less), (more, 1 - more)]))

    assert first[0] <= second[0] + 1e-12


def test_extremes_stay_finite() -> None:
    """A model that is certain can be wrong: 0 and 1 are taken as almost so."""
    rows = apply_fit(HOT, log_rows([(1.0, 0.0), (0.0, 1.0, 0.0)]))

    assert np.isfinite(rows).all()


def test_decisions_are_the_statement_or_the_likeliest_stance() -> None:
    """A single probability is compared with what came true, a stance by whether its top class was right."""
    logs = log_rows([(0.2, 0.8), (0.6, 0.3, 0.1), (0.6, 0.3, 0.1)])

    confidence, outcome = decisions(logs, apply_fit(None, logs), np.array([1, 0, 2]))

    assert confidence.tolist() == pytest.approx([0.2, 0.6, 0.6])
    assert outcome.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("source", "classes"),
    [pytest.param(NLI, 3, id="stances"), pytest.param(NLI, 2, id="single"), pytest.param(LLM, 2, id="extraction")],
)
def test_an_overconfident_model_is_corrected(source: CalibrationSource, classes: int) -> None:
    """Two hundred samples suffice: Brier falls by a tenth at least on samples that the fit has not seen."""
    logs, truth = overconfident(200, classes)

    trial = tried(source, logs, truth, None)

    assert trial.reason == "better on samples it has not seen"
    assert trial.fit is not None
    assert trial.brier_after is not None
    assert trial.brier_after < 0.9 * trial.brier_before


def test_the_score_before_is_that_of_the_fit_in_force() -> None:
    """A new fit must beat what is applied now, not the bare model."""
    logs, truth = overconfident(400, 3)
    good = fit_by(FitMethod.TEMPERATURE, logs, truth)

    trial = tried(NLI, logs, truth, good)

    assert (trial.fit, trial.reason) == (None, "the fit is not clearly better on samples it has not seen")


@pytest.mark.parametrize("seed", [pytest.param(5, id="worse on unseen"), pytest.param(2, id="8 % better by luck")])
def test_noise_is_not_learned(seed: int) -> None:
    """An honest model stays as it is: a gain within the standard error of sixty samples is none."""
    random = np.random.default_rng(seed)
    chance = random.uniform(0.05, 0.95, 60)
    truth = (random.random(60) > chance).astype(np.intp)

    trial = tried(LLM, log_rows([(value, 1 - value) for value in chance]), truth, None)

    assert (trial.fit, trial.reason) == (None, "the fit is not clearly better on samples it has not seen")


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        pytest.param(0, 60, "only 0 samples are right; 5 are needed", id="only mistakes reported"),
        pytest.param(60, 0, "only 0 samples are wrong; 5 are needed", id="only hits reported"),
        pytest.param(LEAST_OF_EACH - 1, 56, "only 4 samples are right; 5 are needed", id="hardly any hit"),
    ],
)
def test_one_sided_samples_fit_nothing(right: int, wrong: int, reason: str) -> None:
    """Whoever reports only mistakes must not teach the model that it is always wrong."""
    logs = log_rows([(0.8, 0.1, 0.1)] * (right + wrong))
    truth = np.array([0] * right + [1] * wrong)

    trial = tried(NLI, logs, truth, None)

    assert (trial.fit, trial.reason) == (None, reason)


def test_a_fit_that_would_turn_the_order_around_is_refused() -> None:
    """Where the less likely came true and the likelier did not, no fit is better than a wrong one."""
    logs = log_rows([(value, 1 - value) for value in np.linspace(0.05, 0.95, 60)])
    truth = np.repeat([0, 1], 30)

    with pytest.raises(CalibrationError) as caught:
        fit_by(FitMethod.PLATT, logs, truth)

    assert caught.value.message == "The samples give no sensible fit."


def test_the_same_samples_give_the_same_fit() -> None:
    """Two processes that fit at once agree."""
    logs, truth = overconfident(120, 3)

    assert tried(NLI, logs, truth, None) == tried(NLI, logs, truth, None)


HOT_FIT = CalibrationFit(FitMethod.TEMPERATURE, {"temperature": 2.0})
VECTOR = CalibrationFit(FitMethod.VECTOR, {"scale": [1.0, 1.0, 1.0], "bias": [0.0, 0.0, 0.0]})
ROWS = np.array([[0.64, 0.32, 0.04], [0.64, 0.32, 0.04]])


def test_each_language_has_its_own_fit() -> None:
    """A fit of Japanese samples leaves English judgements alone."""
    rows = FittedCalibration(1, {"ja": HOT_FIT}).apply(ROWS, ["en", "ja"])

    assert rows == pytest.approx(np.array([[0.64, 0.32, 0.04], [0.5110, 0.3613, 0.1277]]), abs=1e-4)


def test_version_0_changes_nothing() -> None:
    """The bundled calibration alone: not one bit differs."""
    assert FittedCalibration().apply(ROWS, ["en", "ja"]) is ROWS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("vector-705aaa71", ("vector-705aaa71", 0), id="bundled alone"),
        pytest.param("vector-705aaa71+v12", ("vector-705aaa71", 12), id="with a fitted version"),
        pytest.param("", ("", 0), id="unknown"),
        pytest.param("odd+vx", ("odd+vx", 0), id="not a number"),
    ],
)
def test_names_are_joined_and_split(name: str, expected: tuple[str, int]) -> None:
    """An edge's calibration_version tells both parts."""
    assert split_version_name(name) == expected
    assert FittedCalibration(expected[1]).named(expected[0]) == name


@pytest.mark.parametrize(
    ("fits", "expected"),
    [
        pytest.param({}, False, id="no fit"),
        pytest.param({"ja": HOT_FIT}, False, id="another language"),
        pytest.param({"en": HOT_FIT}, True, id="temperature"),
        pytest.param({"en": VECTOR}, False, id="a vector has no say on single probabilities"),
    ],
)
def test_whether_a_fit_speaks_of_predictions(fits: dict[str, CalibrationFit], expected: bool) -> None:
    """Where none does, there is no calibrated score to show."""
    assert FittedCalibration(1, fits).touches(log_rows([(0.8, 0.2)]), ["en"]) is expected
