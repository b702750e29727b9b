"""Tools about how sure the models may be: calibrate, calibrate_rollback."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lyra.calibration.book import DEFAULT_LANGUAGE, CalibrationBook
from lyra.calibration.predictions import read_since
from lyra.calibration.reports import (
    added_fields,
    diagram_fields,
    evaluated_fields,
    evaluations_fields,
    rollback_fields,
    stats_fields,
)
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
from lyra.research.reviewing import ReviewInput, Reviews, batch_review_fields, reviewed_fields, undone_fields

if TYPE_CHECKING:
    from lyra.app import Lyra

_CLIENT = "client"
_SAMPLE_FIELDS = frozenset({"edge_id", "actual", "reason", "reviewer"})


async def _calibrate(call: Call, given: CalibrateIn) -> CalibrateOut:
    data = given.data or CalibrateData.model_validate({})
    if given.action in _REVIEWS:
        return CalibrateOut.model_validate(await _REVIEWS[given.action](call.lyra, data))
    return CalibrateOut.model_validate(await _ACTIONS[given.action](call.lyra.calibration, data))


async def _add_sample(lyra: "Lyra", data: CalibrateData) -> dict[str, Any]:
    if data.samples is not None:
        return await _review_several(lyra.reviews, data)
    actual = _needed(data.actual, "actual")
    if data.edge_id is not None:
        if data.prediction is not None or data.source not in (None, CalibrationSource.NLI_JUDGE):
            raise InvalidParams(
                "An edge brings its own prediction, of nli_judge.", remedy="Give edge_id and actual alone."
            )
        said = ReviewInput(data.edge_id, actual, data.context, _CLIENT)
        return reviewed_fields(await lyra.reviews.add_one(said))
    prediction = _needed(data.prediction, "prediction")
    return added_fields(
        await lyra.calibration.add_sample(
            _source(data), prediction, actual, language=data.language, context=data.context
        )
    )


async def _review_several(reviews: Reviews, data: CalibrateData) -> dict[str, Any]:
    if not data.model_fields_set <= {"samples"}:
        raise InvalidParams(
            "samples bring all that is said of their edges.", remedy="Give samples alone, with reason and reviewer."
        )
    entries = data.samples or []
    read = [_said(entry) for entry in entries]
    good = [one for one in read if isinstance(one, ReviewInput)]
    answers = iter(await reviews.add(good) if good else [])
    named = [_edge_named(entry) for entry in entries]
    return batch_review_fields(named, [next(answers) if isinstance(one, ReviewInput) else one for one in read])


def _said(entry: object) -> ReviewInput | InvalidParams:
    """An entry of `samples`, or what is wrong with it."""
    if not isinstance(entry, dict) or not {"edge_id", "actual"} <= set(entry) <= _SAMPLE_FIELDS:
        return InvalidParams(
            "A sample is an object with edge_id, actual, and maybe reason and reviewer.", remedy="Correct this one."
        )
    texts = {name: entry.get(name) or "" for name in ("edge_id", "reason", "reviewer")}
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    if wrong:
        return InvalidParams(f"{wrong[0]} is no text.", remedy="Correct this one.")
    return ReviewInput(texts["edge_id"].strip(), entry["actual"], texts["reason"], texts["reviewer"] or _CLIENT)


def _edge_named(entry: object) -> str:
    return str(entry.get("edge_id", "")) if isinstance(entry, dict) else ""


async def _undo_review(lyra: "Lyra", data: CalibrateData) -> dict[str, Any]:
    return undone_fields(await lyra.reviews.undo(_needed(data.edge_id, "edge_id")))


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
    "get_stats": _get_stats,
    "evaluate": _evaluate,
    "get_evaluations": _get_evaluations,
    "get_diagram_data": _get_diagram_data,
}

_REVIEWS: "dict[str, Callable[[Lyra, CalibrateData], Awaitable[dict[str, Any]]]]" = {
    "add_sample": _add_sample,
    "undo_review": _undo_review,
}

TOOLS = (
    Tool(
        name="calibrate",
        title="Calibrate confidence",
        description=(
            "Review stances. add_sample{samples: [{edge_id, actual, reason?, reviewer?}]} sets "
            "what edges say (confirm right ones too), and verdicts follow. undo_review{edge_id}. "
            "add_sample{source, prediction, actual}. "
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
