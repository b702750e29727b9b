"""calibrate and calibrate_rollback as an MCP client sees them."""

import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from lyra.app import Lyra
from lyra.mcp.server import build
from lyra.model.calibration import CalibrationSource
from lyra.settings import Settings

from .conftest import overconfident, store_edges

META = {"unverified_domains": [], "blocked_domains": [], "security_warnings": []}
CLAIM = "DPP-4阻害薬は急性膵炎を起こす。"


@pytest.fixture
async def lyra(tmp_path: Path) -> AsyncIterator[Lyra]:
    async with Lyra.open(Settings(data_dir=tmp_path)) as opened:
        yield opened


async def call(lyra: Lyra, tool: str, **arguments: Any) -> dict[str, Any]:
    """The fields of an answer."""
    return (await calls(lyra, tool, [arguments]))[0]


async def calls(lyra: Lyra, tool: str, several: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fields of each answer, which the protocol must mark as what they say they are."""
    async with Client(build(lyra)) as client:
        results = [await client.call_tool(tool, arguments) for arguments in several]
    assert [result.is_error for result in results] == [
        not (result.structured_content or {})["ok"] for result in results
    ]
    return [dict(result.structured_content or {}) for result in results]


async def add_all(lyra: Lyra, count: int) -> dict[str, Any]:
    """The answer to the last of these samples."""
    samples = [
        {"action": "add_sample", "data": {"source": "nli_judge", "prediction": prediction, "actual": actual}}
        for prediction, actual in overconfident(count)
    ]
    return (await calls(lyra, "calibrate", samples))[-1]


async def test_a_sample_is_answered_with_its_id_and_what_is_pending(lyra: Lyra) -> None:
    """The fields of seed 004 §3.2.1."""
    data = {"source": "llm_extract", "prediction": 0.8, "actual": 1, "context": "抽出された主張"}

    answer = await call(lyra, "calibrate", action="add_sample", data=data)

    assert answer.pop("sample_id").startswith("cs_")
    assert answer == {"ok": True, "pending_count": 1, "_lyra_meta": META}


async def test_enough_samples_refit_by_themselves_and_the_answer_says_so(lyra: Lyra) -> None:
    """The fiftieth sample's answer tells the new version, its method and what it is worth."""
    answer = await add_all(lyra, 50)

    refit = answer["refit"]
    assert (answer["pending_count"], refit["is_adopted"], refit["version"], refit["language"]) == (0, True, 1, "en")
    assert refit["brier_after"] < refit["brier_before"]


async def test_stats_name_the_figures_of_the_design_and_every_source(lyra: Lyra) -> None:
    """Top fields are those of the asked source, nli_judge unless another is named."""
    await call(lyra, "calibrate", action="add_sample", data={"source": "nli_judge", "prediction": 0.8, "actual": False})

    answer = await call(lyra, "calibrate", action="get_stats")
    other = await call(lyra, "calibrate", action="get_stats", data={"source": "llm_extract"})

    sources = answer.pop("sources")
    assert answer == {
        "ok": True,
        "_lyra_meta": META,
        "source": "nli_judge",
        "current_version": 0,
        "brier_score": 0.64,
        "ece": 0.8,
        "sample_count": 1,
        "pending_count": 1,
        "degradation_detected": False,
    }
    assert sources[0]["languages"] == [{"language": "en", "sample_count": 1, "pending_count": 1}]
    assert [one["source"] for one in sources] == ["nli_judge", "llm_extract"]
    assert (other["source"], other["sample_count"]) == ("llm_extract", 0)


async def test_evaluate_list_and_diagram(lyra: Lyra) -> None:
    """An evaluation is answered, listed and drawn with the fields of the design."""
    data = {"source": "llm_extract", "predictions": [0.8, 0.6], "labels": [1, 0]}

    evaluated = await call(lyra, "calibrate", action="evaluate", data=data)
    listed = await call(lyra, "calibrate", action="get_evaluations", data={"source": "llm_extract", "limit": 5})
    drawn = await call(lyra, "calibrate", action="get_diagram_data", data={"source": "llm_extract"})

    assert (evaluated["brier_score"], evaluated["expected_calibration_error"]) == (0.2, 0.4)
    assert (evaluated["samples_evaluated"], evaluated["improvement_ratio"]) == (2, 0.0)
    assert (listed["total_count"], listed["evaluations"][0]["id"]) == (1, evaluated["evaluation_id"])
    assert (drawn["source"], drawn["n_bins"], drawn["overall_ece"]) == ("llm_extract", 10, 0.4)
    assert drawn["bins"][8] == {"lower": 0.8, "upper": 0.9, "count": 1, "confidence": 0.8, "accuracy": 1.0}


async def test_degradation_is_told_with_its_figures(lyra: Lyra) -> None:
    """Five per cent or more above the evaluation before."""
    for prediction in (0.8, 0.7):
        data = {"source": "llm_extract", "predictions": [prediction], "labels": [1]}
        evaluated = await call(lyra, "calibrate", action="evaluate", data=data)

    stats = await call(lyra, "calibrate", action="get_stats", data={"source": "llm_extract"})

    assert (stats["degradation_detected"], stats["degradation"]["worsening"]) == (True, 1.25)
    assert (stats["degradation"]["previous_brier"], stats["degradation"]["latest_brier"]) == (0.04, 0.09)
    assert stats["degradation"]["latest_evaluation_id"] == evaluated["evaluation_id"]


async def test_rollback_answers_with_both_versions(lyra: Lyra) -> None:
    """And the statistics agree."""
    await add_all(lyra, 50)

    answer = await call(lyra, "calibrate_rollback", source="nli_judge", reason="Brier score degradation detected")

    stats = await call(lyra, "calibrate", action="get_stats")
    assert answer == {
        "ok": True,
        "_lyra_meta": META,
        "source": "nli_judge",
        "rolled_back_to": 0,
        "previous_version": 1,
        "reason": "Brier score degradation detected",
    }
    assert (stats["current_version"], stats["sources"][0]["versions"]) == (0, [1])


async def test_an_edge_is_corrected_by_its_id_alone(lyra: Lyra) -> None:
    """The edge brings prediction, source and language; evaluations can be read in SQL, samples not."""
    version = lyra.calibration.basis(CalibrationSource.NLI_JUDGE)
    (edge_id,) = await lyra.db.write(store_edges, 1, version, CLAIM, (0.7, 0.2, 0.1))

    answer = await call(lyra, "calibrate", action="add_sample", data={"edge_id": edge_id, "actual": "neutral"})
    stats = await call(lyra, "calibrate", action="get_stats")
    readable = await call(lyra, "query_graph", sql="select count(*) as n from calibration_evaluations")
    hidden = await call(lyra, "query_graph", sql="select count(*) as n from calibration_samples")

    assert (answer["ok"], answer["pending_count"]) == (True, 1)
    assert readable["rows"] == [{"n": 0}]
    assert hidden["error_code"] == "INVALID_PARAMS"
    assert (stats["ok"], stats["sample_count"]) == (True, 1)


async def test_samples_are_answered_one_by_one(lyra: Lyra) -> None:
    """In their order, in few words: what now holds, or what is wrong with this one."""
    version = lyra.calibration.basis(CalibrationSource.NLI_JUDGE)
    first, second = await lyra.db.write(store_edges, 2, version, CLAIM, (0.7, 0.2, 0.1))
    samples = [
        {"edge_id": first, "actual": "neutral", "reason": "計画のみ", "reviewer": "小田"},
        {"edge_id": "e_0", "actual": "neutral"},
        {"edge_id": second, "actual": "perhaps"},
        {"edge_id": second},
        {"edge_id": second, "actual": "neutral", "note": "?"},
        {"edge_id": second, "actual": "neutral", "reason": 7},
        "second",
        {"edge_id": second, "actual": "neutral"},
        {"edge_id": first, "actual": "neutral"},
    ]

    answer = await call(lyra, "calibrate", action="add_sample", data={"samples": samples})

    assert (answer["ok"], answer["reviewed"], answer["failed"], answer["refits"]) == (True, 3, 6, [])
    results = answer["results"]
    claim_id = results[0]["claim_id"]
    done = {"ok": True, "relation": "neutral", "claim_id": claim_id, "verdict": "unverified"}
    assert [results[0], results[7], results[8]] == [
        {"edge_id": first, **done},
        {"edge_id": second, **done},
        {"edge_id": first, **done, "replaced": "neutral"},
    ]
    assert [one["error"] for one in results[1:7]] == [
        "There is no stance edge 'e_0'.",
        "What is true of a stance is supports, refutes or neutral, not 'perhaps'.",
        "A sample is an object with edge_id, actual, and maybe reason and reviewer.",
        "A sample is an object with edge_id, actual, and maybe reason and reviewer.",
        "reason is not text.",
        "A sample is an object with edge_id, actual, and maybe reason and reviewer.",
    ]


async def test_a_hundred_refused_samples_fit_into_an_answer(lyra: Lyra) -> None:
    """None of them is cut away: each must be heard."""
    samples = [{"edge_id": f"e_{number:016x}", "actual": "neutral"} for number in range(100)]

    answer = await call(lyra, "calibrate", action="add_sample", data={"samples": samples})

    assert (answer["failed"], len(answer["results"]), "truncated" in answer) == (100, 100, False)


async def test_a_review_is_taken_back_by_its_edge(lyra: Lyra) -> None:
    """The reader's result is back, the sample gone, and a second time there is nothing to take back."""
    version = lyra.calibration.basis(CalibrationSource.NLI_JUDGE)
    (edge_id,) = await lyra.db.write(store_edges, 1, version, CLAIM, (0.7, 0.2, 0.1))
    await call(lyra, "calibrate", action="add_sample", data={"edge_id": edge_id, "actual": "neutral"})

    undone = await call(lyra, "calibrate", action="undo_review", data={"edge_id": edge_id})
    again = await call(lyra, "calibrate", action="undo_review", data={"edge_id": edge_id})
    stats = await call(lyra, "calibrate", action="get_stats")
    edges = await call(lyra, "query_graph", sql="select relation, nli_confidence from edges")
    kept = await call(lyra, "query_graph", sql="select actual, reviewer, state from reviews")

    assert (undone["relation"], undone["edge_id"], stats["sample_count"]) == ("supports", edge_id, 0)
    assert again["error"] == f"The edge {edge_id!r} has no review to undo."
    assert edges["rows"] == [{"relation": "supports", "nli_confidence": 0.7}]
    assert kept["rows"] == [{"actual": "neutral", "reviewer": "client", "state": "undone"}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"action": "add_sample", "data": {"samples": []}},
            "calibrate: data.samples: List should have at least 1 item",
            id="no samples",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"samples": [{}] * 101}},
            "calibrate: data.samples: List should have at most 100 items",
            id="too many samples",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"samples": [{}], "edge_id": "e_0", "actual": "neutral"}},
            "samples have all that is needed.",
            id="samples and an edge",
        ),
        pytest.param({"action": "undo_review"}, "data.edge_id is missing.", id="undo what?"),
        pytest.param(
            {"action": "undo_review", "data": {"edge_id": "e_0"}}, "There is no stance edge 'e_0'.", id="undo nothing"
        ),
        pytest.param({"action": "guess"}, "calibrate: action: Input should be 'add_sample'", id="unknown action"),
        pytest.param({"action": "add_sample"}, "data.actual is missing.", id="no data"),
        pytest.param(
            {"action": "add_sample", "data": {"actual": True, "source": "nli_judge"}},
            "data.prediction is missing.",
            id="no prediction",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"actual": True, "prediction": 0.5}},
            "data.source is missing.",
            id="no source",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"actual": True, "prediction": 1.5, "source": "nli_judge"}},
            "A prediction must be a number from 0 to 1, not 1.5.",
            id="prediction above 1",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"actual": "neutral", "edge_id": "e_0", "prediction": 0.5}},
            "An edge brings its own prediction, of nli_judge.",
            id="edge and prediction",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"actual": "neutral", "edge_id": "e_0"}},
            "There is no stance edge 'e_0'.",
            id="unknown edge",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"actual": True, "prediction": 0.5, "source": "oracle"}},
            "calibrate: data.source: Input should be 'nli_judge' or 'llm_extract'",
            id="unknown source",
        ),
        pytest.param(
            {"action": "evaluate", "data": {"source": "nli_judge", "predictions": [], "labels": []}},
            "There are 0 predictions and 0 labels.",
            id="empty lists",
        ),
        pytest.param(
            {"action": "evaluate", "data": {"source": "nli_judge", "predictions": [math.nan], "labels": [1]}},
            "Number 0: a prediction",
            id="NaN",
        ),
        pytest.param(
            {
                "action": "evaluate",
                "data": {"source": "nli_judge", "predictions": [0.5] * 10**6, "labels": [1] * 10**6},
            },
            "There are 1000000 predictions; at most 100000 are evaluated at once.",
            id="a million predictions",
        ),
        pytest.param(
            {"action": "get_evaluations", "data": {"since": "yesterday"}},
            "since is 'yesterday', which is not a date.",
            id="no date",
        ),
        pytest.param(
            {"action": "get_evaluations", "data": {"limit": 1000}},
            "calibrate: data.limit: Input should be less than or equal to 100",
            id="too many evaluations",
        ),
        pytest.param(
            {"action": "get_diagram_data", "data": {"source": "nli_judge", "evaluation_id": "eval_0"}},
            "The source nli_judge has no evaluation 'eval_0'.",
            id="unknown evaluation",
        ),
        pytest.param(
            {"action": "add_sample", "data": {"actual": "\ud800", "edge_id": "e_0"}},
            "calibrate: data.actual",
            id="lone surrogate",
        ),
    ],
)
async def test_bad_calls_get_a_typed_error_with_a_remedy(lyra: Lyra, arguments: dict[str, Any], message: str) -> None:
    """INVALID_PARAMS, one sentence, and what to do next."""
    answer = await call(lyra, "calibrate", **arguments)

    assert (answer["error_code"], answer["retryable"]) == ("INVALID_PARAMS", False)
    assert answer["error"].startswith(message)
    assert answer["remedy"].endswith(".")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param({"source": "nli_judge"}, "CALIBRATION_ERROR", id="nothing to roll back"),
        pytest.param({"source": "nli_judge", "version": 3}, "INVALID_PARAMS", id="unknown version"),
        pytest.param({"source": "nli_judge", "version": -1}, "INVALID_PARAMS", id="negative version"),
        pytest.param({"source": "nli_judge", "version": 10**30}, "INVALID_PARAMS", id="version beyond any integer"),
        pytest.param({}, "INVALID_PARAMS", id="no source"),
        pytest.param({"source": "nli_judge", "reason": "x" * 10**6}, "INVALID_PARAMS", id="reason of a megabyte"),
    ],
)
async def test_bad_rollbacks_get_a_typed_error(lyra: Lyra, arguments: dict[str, Any], code: str) -> None:
    """And nothing is rolled back."""
    answer = await call(lyra, "calibrate_rollback", **arguments)

    assert answer["error_code"] == code


async def test_the_tools_state_their_hints_and_stay_small(lyra: Lyra) -> None:
    """Rolling back is destructive; both together leave room for the other ten, whose total is held elsewhere."""
    async with Client(build(lyra)) as client:
        listed = (await client.list_tools()).tools
    tools = {tool.name: tool for tool in listed if tool.name.startswith("calibrate")}

    hints = {
        name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
            tool.annotations.open_world_hint,
        )
        for name, tool in tools.items()
        if tool.annotations
    }
    size = sum(len(tool.name + (tool.description or "") + json.dumps(tool.input_schema)) for tool in tools.values())
    assert hints == {"calibrate": (False, False, False, False), "calibrate_rollback": (False, True, False, False)}
    assert size < 3_000


async def test_the_basis_of_corrections_is_the_readers_calibration(lyra: Lyra) -> None:
    """What the judge writes on its edges is what corrections are counted for."""
    (judged,) = await lyra.judge.judge([("It rained all day.", "It rained.")])

    assert judged.calibration_version == lyra.calibration.basis(CalibrationSource.NLI_JUDGE)


async def test_the_judge_applies_a_fitted_version_at_once(lyra: Lyra) -> None:
    """The next batch is judged with it, and its stances name it; after a rollback they are as before."""
    pair = ("The festival attracted more visitors than in the previous year.", "Sitagliptin causes pancreatitis.")
    (before,) = await lyra.judge.judge([pair])
    await add_all(lyra, 50)

    (after,) = await lyra.judge.judge([pair])
    await call(lyra, "calibrate_rollback", source="nli_judge")
    (again,) = await lyra.judge.judge([pair])

    assert after.calibration_version == f"{before.calibration_version}+v1"
    assert (after.probabilities == before.probabilities, after.raw_probabilities) == (False, before.raw_probabilities)
    assert max(after.probabilities) < max(before.probabilities)
    assert (again.calibration_version, again.probabilities) == (before.calibration_version, before.probabilities)
