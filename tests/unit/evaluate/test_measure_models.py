"""scripts/measure_models.py: its tables, and where they go."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from lyra.model.edge import Relation, Stance
from lyra_bench.evaluate.stance import GoldPair

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_models", ROOT / "scripts" / "measure_models.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stance(label: Relation, calibrated: tuple[float, float, float], raw: tuple[float, float, float]) -> Stance:
    return Stance(label, max(calibrated), max(raw), calibrated, "m", "v", raw_probabilities=raw)


def test_the_shipped_judge_stands_beside_the_bare_model(script: ModuleType) -> None:
    """Two neutral pairs: the model alone reads one as refuted, the thresholds none."""
    gold = [GoldPair("雨が降った。", "晴れた。", 2, "jnli"), GoldPair("It rained.", "It was dry.", 2, "jnli")]
    stances = [
        stance(Relation.NEUTRAL, (0.1, 0.5, 0.4), (0.05, 0.9, 0.05)),
        stance(Relation.NEUTRAL, (0.1, 0.1, 0.8), (0.1, 0.1, 0.8)),
    ]

    scores = script._scores(gold, stances)

    assert (scores["n"], scores["false_refute_raw"], scores["false_refute_shipped"]) == (2, 0.5, 0.0)
    assert (scores["macro_f1_raw"], scores["macro_f1"], scores["macro_f1_shipped"]) == (0.6667, 0.6667, 1.0)
    assert scores["brier"] < scores["brier_raw"]


def test_tables_name_the_models_and_leave_out_what_was_not_measured(script: ModuleType) -> None:
    """A rate that does not exist is a dash."""
    measured = {
        "readers": "small@1, large@1",
        "embedder": "minilm@1",
        "unseen": {"healthver": {"n": 8, "macro_f1_raw": 0.4, "false_refute_raw": None}},
        "held_out": {},
        "pairs_per_second": None,
        "ranking": {"cranfield": {"ndcg@10": 0.5, "recall@10": 0.4, "bm25_ndcg@10": 0.3}},
        "ja_en_recall@10": None,
    }

    text = script.tables(measured)

    lines = text.splitlines()
    assert lines[0] == "Readers `small@1, large@1`, embedder `minilm@1`."
    assert ("| healthver | 8 | 0.400 | – |" in lines, "| cranfield | 0.300 | 0.500 | 0.400 |" in lines) == (True, True)
    assert ("Held out" in text, "recall@10:" in text) == (False, False)


def test_results_replace_what_stands_between_the_markers(script: ModuleType) -> None:
    """The prose around them stays; doing it again changes nothing more."""
    page = "# Models\n\n<!-- measured:begin -->\nold\n<!-- measured:end -->\n\nProse.\n"

    once = script.inserted(page, "new\n")

    assert once == "# Models\n\n<!-- measured:begin -->\nnew\n<!-- measured:end -->\n\nProse.\n"
    assert script.inserted(once, "new\n") == once


@pytest.mark.parametrize("page", ["# Models\n", "<!-- measured:end --><!-- measured:begin -->"])
def test_a_page_without_markers_is_left_alone(script: ModuleType, page: str) -> None:
    """Rather than writing at its end or over it."""
    with pytest.raises(SystemExit):
        script.inserted(page, "new\n")


def test_a_limit_holds_for_every_source(script: ModuleType) -> None:
    """A quick look sees all sources."""
    gold = [GoldPair("p", "h", 0, source) for source in ("a", "a", "a", "b")]

    assert [pair.source for pair in script._limited(gold, 2)] == ["a", "a", "b"]


@dataclass(frozen=True)
class Published:
    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


def test_published_collections_become_beir_folders(script: ModuleType, tmp_path: Path) -> None:
    """Only judged queries are kept, and the limit counts them."""
    published = Published(
        {"1": "wing in a slipstream"}, {"1": "lift", "2": "unjudged", "3": "drag"}, {"1": {"1": 1}, "3": {"1": 2}}
    )

    folder = script._write_beir(published, tmp_path / "cranfield", 1)

    assert (folder / "corpus.jsonl").read_text("utf-8") == '{"_id": "1", "text": "wing in a slipstream"}\n'
    assert (folder / "queries.jsonl").read_text("utf-8") == '{"_id": "1", "text": "lift"}\n'
    assert (folder / "qrels.tsv").read_text("utf-8") == "1\t1\t1\n"
