"""The evaluations through the real models: the product's own paths from file to figures."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lyra.app import bundled_calibration
from lyra.claims.stance import StanceJudge
from lyra.ml.caches import CachedEmbedder
from lyra.ml.card import model_directory
from lyra.ml.remote import IsolatedModels
from lyra.model_store.pull import pin_folder, pull
from lyra.rank.ranker import Ranker
from lyra.settings import Models, Settings
from lyra.settings.research import Ranking
from lyra_bench.evaluate.models import compare_models
from lyra_bench.evaluate.ranking import evaluate_ranking
from lyra_bench.evaluate.stance import evaluate_stance
from tests import tiny_models

PAIRS = [
    ("A man is playing a guitar on stage.", "A man is playing an instrument.", "E", "captions"),
    ("A man is playing a guitar on stage.", "Nobody is playing an instrument.", "C", "captions"),
    ("A man is playing a guitar on stage.", "The concert hall was built in 1962.", "N", "captions"),
    ("男性が舞台でギターを弾いている。", "男性が楽器を演奏している。", "E", "写真"),
]
CORPUS = {
    "d1": ("Sitagliptin and heart failure", "Hospital admission for heart failure did not differ between the groups."),
    "d2": ("Festival in Kyoto", "More visitors came to the festival than in the year before."),
    "d3": ("膵炎の報告", "シタグリプチンを服用した患者で急性膵炎が報告された。"),
    "d4": ("祭りの来場者", "京都の祭りには昨年より多くの人が訪れた。"),
}
QUERIES = {"q1": "Does the drug raise the risk of cardiac failure?", "q2": "シタグリプチンで膵炎は起きるか"}


@pytest.fixture
async def models(tmp_path: Path) -> AsyncIterator[IsolatedModels]:
    """What everyone has: the embedder and the small reader, whatever else is installed here."""
    root = tmp_path / "weights"
    root.mkdir()
    (root / "embedder").symlink_to(model_directory("embedder"))
    (root / "small").symlink_to(model_directory("small"))
    fresh = IsolatedModels(Models(directory=root))
    yield fresh
    await fresh.close()


async def test_stance_is_judged_by_the_shipped_judge(tmp_path: Path, models: IsolatedModels) -> None:
    """Plain captions in both languages are read right, and the result names the reader."""
    path = tmp_path / "gold.jsonl"
    rows = (dict(zip(("premise", "hypothesis", "label", "source"), pair, strict=True)) for pair in PAIRS)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    judge = StanceJudge(
        models.cascade, bundled_calibration(models), {one.name: one.card.thresholds for one in models.readers}
    )

    result = await evaluate_stance(path, judge, model_ids=models.cascade.model_ids)

    assert result["models"] == {"small": models.readers[0].model_id}
    assert {
        name: (scores["n"], scores["accuracy"], scores["by_large_reader"]) for name, scores in result["sources"].items()
    } == {
        "captions": (3, 1.0, 0.0),
        "写真": (1, 1.0, 0.0),
    }


async def test_ranking_finds_paraphrase_and_japanese(tmp_path: Path, models: IsolatedModels) -> None:
    """A paraphrase in English and a question in Japanese each find their document first."""
    corpus = ({"_id": name, "title": title, "text": text} for name, (title, text) in CORPUS.items())
    queries = ({"_id": name, "text": text} for name, text in QUERIES.items())
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus), "utf-8")
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries), "utf-8")
    (tmp_path / "qrels.tsv").write_text("q1\td1\t1\nq2\td3\t1\n", "utf-8")
    ranker = Ranker(CachedEmbedder(models.embedder), Ranking(), models.embedder.card.fusion)

    result = await evaluate_ranking(tmp_path, ranker)

    assert (result["ndcg@10"], result["recall@10"]) == (1.0, 1.0)


async def test_models_are_compared_side_by_side(tmp_path: Path) -> None:
    """A reader and an embedder of the user's own stand beside the bundled ones, on the same rows."""
    settings = Settings.model_validate({"data_dir": tmp_path / "data"})
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"premise": "rain fell", "hypothesis": "rain", "label": "E", "source": "mine"}), "utf-8")
    origin = tiny_models.nli_folder(tmp_path / "nli")
    await pull(pin_folder("own", "reader", origin), settings, lambda *_: None, lambda *_: None, origin)

    found = await compare_models(settings, gold, lambda *_: None)

    assert [one for one in found["readers"] if one != "lyra-reader-large"] == ["lyra-reader-small", "own"]
    assert found["readers"]["own"]["sources"]["mine"]["n"] == 1
    assert found["embedders"] == {}


async def test_a_broken_model_is_named_and_the_others_are_measured(tmp_path: Path) -> None:
    """One whose file was changed after it was pulled."""
    settings = Settings.model_validate({"data_dir": tmp_path / "data"})
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"premise": "rain fell", "hypothesis": "rain", "label": "E", "source": "mine"}), "utf-8")
    origin = tiny_models.nli_folder(tmp_path / "nli")
    own = await pull(pin_folder("own", "reader", origin), settings, lambda *_: None, lambda *_: None, origin)
    own.path_of("onnx/model.onnx").write_bytes(b"other")

    found = await compare_models(settings, gold, lambda *_: None)

    assert "is not the one its card names" in found["readers"]["own"]["error"]
    assert found["readers"]["lyra-reader-small"]["sources"]["mine"]["n"] == 1
