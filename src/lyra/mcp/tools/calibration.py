"""Tools about how sure the models may be: calibrate, calibrate_rollback."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lyra.answers.calibration import CalibrateAnswer, RollbackAnswer
from lyra.calibration.book import DEFAULT_LANGUAGE
from lyra.calibration.predictions import read_since
from lyra.errors import InvalidParams
from lyra.mcp.inputs import CalibrateData, CalibrateIn, CalibrateRollbackIn
from lyra.mcp.tool import CallContext, Tool
from lyra.model.calibration import CalibrationSource
from lyra.model.person import Role
from lyra.research.reviewing import ReviewInput

if TYPE_CHECKING:
    from lyra.app import Lyra

_CLIENT = "client"
_SAMPLE_FIELDS = frozenset({"edge_id", "actual", "reason", "reviewer"})


async def _calibrate(context: CallContext, given: CalibrateIn) -> CalibrateAnswer:
    data = given.data or CalibrateData.model_validate({})
    return await _ACTIONS[given.action](context.lyra, data)


async def _add_sample(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    if data.samples is not None:
        return await _review_several(lyra, data)
    actual = _required(data.actual, "actual")
    if data.edge_id is not None:
        if data.prediction is not None or data.source not in (None, CalibrationSource.NLI_JUDGE):
            raise InvalidParams(
                "An edge brings its own prediction, of nli_judge.", remedy="Give edge_id and actual alone."
            )
        review = ReviewInput(data.edge_id, actual, data.context, _CLIENT)
        return CalibrateAnswer.from_review(await lyra.reviews.add_one(review))
    lyra.person.require(Role.ADMIN)
    prediction = _unwrapped(_required(data.prediction, "prediction"))
    added = await lyra.calibration.add_sample(
        _source(data), prediction, actual, language=data.language, context=data.context
    )
    return CalibrateAnswer.from_sample(added)


async def _review_several(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    if not data.model_fields_set <= {"samples"}:
        raise InvalidParams("samples have all that is needed.", remedy="Give samples alone, with reason and reviewer.")
    entries = data.samples or []
    reviews = [_read_review(entry) for entry in entries]
    valid = [one for one in reviews if isinstance(one, ReviewInput)]
    added = iter(await lyra.reviews.add(valid) if valid else [])
    edge_ids = [str(entry.get("edge_id", "")) if isinstance(entry, dict) else "" for entry in entries]
    return CalibrateAnswer.from_reviews(
        edge_ids, [next(added) if isinstance(one, ReviewInput) else one for one in reviews]
    )


def _read_review(entry: object) -> ReviewInput | InvalidParams:
    """An entry of `samples`, or what is wrong with it."""
    if not isinstance(entry, dict) or not {"edge_id", "actual"} <= set(entry) <= _SAMPLE_FIELDS:
        return InvalidParams(
            "A sample is an object with edge_id, actual, and maybe reason and reviewer.", remedy="Correct this one."
        )
    texts = {name: entry.get(name) or "" for name in ("edge_id", "reason", "reviewer")}
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    if wrong:
        return InvalidParams(f"{wrong[0]} is not text.", remedy="Correct this one.")
    return ReviewInput(texts["edge_id"].strip(), entry["actual"], texts["reason"], texts["reviewer"] or _CLIENT)


async def _undo_review(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    return CalibrateAnswer.from_undone(await lyra.reviews.undo(_required(data.edge_id, "edge_id")))


async def _get_stats(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    every = {source: await lyra.calibration.stats(source) for source in CalibrationSource}
    asked = CalibrationSource(data.source) if data.source else CalibrationSource.NLI_JUDGE
    return CalibrateAnswer.from_stats(every[asked], list(every.values()))


async def _evaluate(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    lyra.person.require(Role.ADMIN)
    predictions = [_unwrapped(one) for one in _required(data.predictions, "predictions")]
    labels = _required(data.labels, "labels")
    language = data.language or DEFAULT_LANGUAGE
    evaluated = await lyra.calibration.evaluate(_source(data), predictions, labels, language=language)
    return CalibrateAnswer.from_evaluated(evaluated)


async def _get_evaluations(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    source = CalibrationSource(data.source) if data.source else None
    since = read_since(data.since) if data.since else None
    return CalibrateAnswer.from_evaluations(*await lyra.calibration.evaluations(source, limit=data.limit, since=since))


async def _get_diagram_data(lyra: "Lyra", data: CalibrateData) -> CalibrateAnswer:
    return CalibrateAnswer.from_diagram(await lyra.calibration.diagram(_source(data), data.evaluation_id))


async def _rollback(context: CallContext, given: CalibrateRollbackIn) -> RollbackAnswer:
    done = await context.lyra.calibration.rollback(CalibrationSource(given.source), given.version, given.reason)
    return RollbackAnswer.from_rollback(done)


def _source(data: CalibrateData) -> CalibrationSource:
    return CalibrationSource(_required(data.source, "source"))


def _unwrapped(prediction: Any) -> Any:
    """One probability in brackets, as the schema has it, is that probability."""
    return prediction[0] if isinstance(prediction, list) and len(prediction) == 1 else prediction


def _required(value: Any, name: str) -> Any:
    if value is None:
        raise InvalidParams(f"data.{name} is missing.", remedy=f"Give {name} in data; see the tool's description.")
    return value


_ACTIONS: "dict[str, Callable[[Lyra, CalibrateData], Awaitable[CalibrateAnswer]]]" = {
    "add_sample": _add_sample,
    "undo_review": _undo_review,
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
            "Review stances. add_sample{samples} sets what edges say (confirm right ones too), and verdicts follow. "
            "undo_review{edge_id}. add_sample{source, prediction, actual}. "
            "get_stats{source?}. evaluate{source, predictions, labels}. get_evaluations{source?, limit?, since?}. "
            "get_diagram_data{source, evaluation_id?}."
        ),
        input_model=CalibrateIn,
        answer_model=CalibrateAnswer,
        handler=_calibrate,
    ),
    Tool(
        name="calibrate_rollback",
        title="Roll back a calibration",
        description="Put an earlier fitted version of a source back in force; audited. get_stats lists versions.",
        input_model=CalibrateRollbackIn,
        answer_model=RollbackAnswer,
        handler=_rollback,
        needs=Role.ADMIN,
        is_destructive=True,
    ),
)
