"""Tools about how sure the models may be: calibrate, calibrate_rollback."""

from collections.abc import Awaitable, Callable
from typing import Any

from lyra.calibration.answers import (
    added_fields,
    diagram_fields,
    evaluated_fields,
    evaluations_fields,
    rollback_fields,
    stats_fields,
)
from lyra.calibration.book import DEFAULT_LANGUAGE, CalibrationBook
from lyra.calibration.predictions import read_since
from lyra.calibration.reports import Added
from lyra.errors import InvalidParams
from lyra.mcp.calibration_contracts import (
    CalibrateData,
    CalibrateIn,
    CalibrateOut,
    CalibrateRollbackIn,
    CalibrateRollbackOut,
)
from lyra.mcp.tool import Call, Tool
from lyra.model.calibration import CalibrationSource


async def _calibrate(call: Call, given: CalibrateIn) -> CalibrateOut:
    data = given.data or CalibrateData.model_validate({})
    return CalibrateOut.model_validate(await _ACTIONS[given.action](call.lyra.calibration, data))


async def _add_sample(book: CalibrationBook, data: CalibrateData) -> dict[str, Any]:
    return added_fields(await _added(book, data))


async def _added(book: CalibrationBook, data: CalibrateData) -> Added:
    actual = _needed(data.actual, "actual")
    if data.edge_id is not None:
        if data.prediction is not None or data.source not in (None, CalibrationSource.NLI_JUDGE):
            raise InvalidParams(
                "An edge brings its own prediction, of nli_judge.", remedy="Give edge_id and actual alone."
            )
        return await book.correct_edge(data.edge_id, actual, context=data.context)
    prediction = _needed(data.prediction, "prediction")
    return await book.add_sample(_source(data), prediction, actual, language=data.language, context=data.context)


async def _get_stats(book: CalibrationBook, data: CalibrateData) -> dict[str, Any]:
    every = {source: await book.stats(source) for source in CalibrationSource}
    asked = CalibrationSource(data.source) if data.source else CalibrationSource.NLI_JUDGE
    return stats_fields(every[asked], list(every.values()))


async def _evaluate(book: CalibrationBook, data: CalibrateData) -> dict[str, Any]:
    predictions, labels = _needed(data.predictions, "predictions"), _needed(data.labels, "labels")
    language = data.language or DEFAULT_LANGUAGE
    return evaluated_fields(await book.evaluate(_source(data), predictions, labels, language=language))


async def _get_evaluations(book: CalibrationBook, data: CalibrateData) -> dict[str, Any]:
    source = CalibrationSource(data.source) if data.source else None
    since = read_since(data.since) if data.since else None
    return evaluations_fields(*await book.evaluations(source, limit=data.limit, since=since))


async def _get_diagram_data(book: CalibrationBook, data: CalibrateData) -> dict[str, Any]:
    return diagram_fields(await book.diagram(_source(data), data.evaluation_id))


async def _rollback(call: Call, given: CalibrateRollbackIn) -> CalibrateRollbackOut:
    done = await call.lyra.calibration.rollback(CalibrationSource(given.source), given.version, given.reason)
    return CalibrateRollbackOut.model_validate(rollback_fields(done))


def _source(data: CalibrateData) -> CalibrationSource:
    return CalibrationSource(_needed(data.source, "source"))


def _needed(value: Any, name: str) -> Any:
    if value is None:
        raise InvalidParams(f"data.{name} is missing.", remedy=f"Give {name} in data; see the tool's description.")
    return value


_ACTIONS: dict[str, Callable[[CalibrationBook, CalibrateData], Awaitable[dict[str, Any]]]] = {
    "add_sample": _add_sample,
    "get_stats": _get_stats,
    "evaluate": _evaluate,
    "get_evaluations": _get_evaluations,
    "get_diagram_data": _get_diagram_data,
}

TOOLS = (
    Tool(
        name="calibrate",
        title="Calibrate confidence",
        description=(
            "How far the models' probabilities can be trusted. add_sample{edge_id, actual} records the right stance of "
            "an edge (confirm right ones too), or {source, prediction, actual}; enough samples refit by themselves. "
            "get_stats{source?}. evaluate{source, predictions, labels}. get_evaluations{source?, limit?, since?}. "
            "get_diagram_data{source, evaluation_id?}."
        ),
        takes=CalibrateIn,
        gives=CalibrateOut,
        answer=_calibrate,
    ),
    Tool(
        name="calibrate_rollback",
        title="Roll back a calibration",
        description="Put an earlier fitted version of a source back in force; audited. get_stats lists versions.",
        takes=CalibrateRollbackIn,
        gives=CalibrateRollbackOut,
        answer=_rollback,
        is_destructive=True,
    ),
)
