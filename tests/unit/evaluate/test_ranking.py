"""Scores of the ranking, and the BEIR layout they are computed from."""

import json
from collections.abc import Sequence
from math import log2
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.errors import InvalidParams
from lyra.rank.ranker import Ranker
from lyra.settings.research import Ranking
from lyra_bench.evaluate.ranking import evaluate_ranking, ndcg, read_collection, recall

CORPUS = [
    {"_id": "d1", "title": "Sitagliptin", "text": "lowers HbA1c in trials"},
    {"_id": "d2", "title": "", "text": "the pancreas under incretin drugs"},
    {"_id": "d3", "title": "祭り", "text": "京都の祭りに人が集まった"},
]
QUERIES = [{"_id": "q1", "text": "sitagliptin HbA1c"}, {"_id": "q2", "text": "pancreatitis"}]


class Meaning:
    """Knows one thing: pancreatitis is about the pancreas."""

    model_id = "meaning@1"
    dimension = 2

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1.0, 0.0] if "pancrea" in text else [0.0, 1.0] for text in texts], np.float32)


def write(directory: Path, qrels: str, name: str = "qrels.tsv") -> Path:
    (directory / name).parent.mkdir(exist_ok=True)
    for file, rows in (("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES)):
        (directory / file).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (directory / name).write_text(qrels, "utf-8")
    return directory


async def test_product_ranking_and_bm25_are_scored_side_by_side(tmp_path: Path) -> None:
    """BM25 finds the first query only (an unmatched query keeps the corpus order); the embedding finds both."""
    directory = write(tmp_path, "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    told: list[tuple[int, int]] = []

    result = await evaluate_ranking(
        directory, Ranker(Meaning(), Ranking()), progress=lambda done, total: told.append((done, total))
    )

    assert result == {
        "ndcg@10": 1.0,
        "recall@10": 1.0,
        "bm25_ndcg@10": round((1 + 1 / log2(3)) / 2, 4),
    }
    assert told == [(1, 2), (2, 2)]


def test_ndcg_discounts_by_place_and_grade() -> None:
    """Linear gain: (1/log2 2 + 2/log2 4) over the ideal (2/log2 2 + 1/log2 3)."""
    score = ndcg(["b", "x", "a"], {"a": 2, "b": 1})

    assert score == pytest.approx((1 + 2 / 2) / (2 + 1 / log2(3)))


def test_depth_is_ten() -> None:
    """What stands eleventh is not found."""
    found = [f"x{place}" for place in range(10)] + ["a"]

    scores = (ndcg(found, {"a": 1}), recall(found, {"a": 1}), recall(found[1:], {"a": 1, "b": 1}))

    assert scores == (0.0, 0.0, 0.5)


@pytest.mark.parametrize(
    ("name", "qrels"),
    [
        pytest.param("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t0\n", id="flat, with heading"),
        pytest.param("qrels.tsv", "q1\td1\t2\nq1\td3\t-1\n", id="flat, without heading"),
        pytest.param("qrels.tsv", "q1\td1\t2\t\n", id="a tab at the end"),
        pytest.param("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\n", id="BEIR's folder"),
    ],
)
def test_layouts_read_alike(tmp_path: Path, name: str, qrels: str) -> None:
    """Both places of the judgements, with or without heading; scores of 0 and below are not relevant."""
    collection = read_collection(write(tmp_path, qrels, name))

    assert collection.grades == {"q1": {"d1": 2}}
    assert collection.documents["d1"] == "Sitagliptin\nlowers HbA1c in trials"
    assert collection.documents["d2"] == "the pancreas under incretin drugs"


def test_judged_document_that_is_missing_cannot_be_found(tmp_path: Path) -> None:
    """It stays in the denominator, as trec_eval has it."""
    collection = read_collection(write(tmp_path, "q1\td1\t1\nq1\td9\t1\n"))

    assert recall(["d1"], collection.grades["q1"]) == 0.5


@pytest.mark.parametrize(
    ("second_line", "reason"),
    [
        pytest.param("q1 d1", "it is not `query-id<TAB>corpus-id<TAB>score`", id="two fields"),
        pytest.param("q1\td1\thigh", "it is not `query-id<TAB>corpus-id<TAB>score`", id="word for a score"),
        pytest.param("q9\td1\t1", "the query 'q9' is not in queries.jsonl", id="unknown query"),
    ],
)
def test_bad_judgement_is_named_by_its_line(tmp_path: Path, second_line: str, reason: str) -> None:
    """The user is told which line to correct."""
    with pytest.raises(InvalidParams) as caught:
        read_collection(write(tmp_path, f"q1\td1\t1\n{second_line}\n"))

    assert caught.value.message == f"qrels.tsv, line 2: {reason}."


def test_first_line_that_names_a_query_is_no_heading(tmp_path: Path) -> None:
    """A bad judgement at the top is named like any other, not passed over."""
    with pytest.raises(InvalidParams) as caught:
        read_collection(write(tmp_path, "q1\td1\t1.0\nq2\td2\t1\n"))

    assert caught.value.message == "qrels.tsv, line 1: it is not `query-id<TAB>corpus-id<TAB>score`."


def test_ids_may_hold_spaces_where_tabs_part_the_fields(tmp_path: Path) -> None:
    """BEIR parts its judgements by tabs alone."""
    collection = read_collection(write(tmp_path, "q1\tStatins and muscle pain\t1\n"))

    assert collection.grades == {"q1": {"Statins and muscle pain": 1}}


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_collection_without_texts_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing to rank gives no score, rather than a score of 0."""
    write(tmp_path, "q1\td1\t1\n")
    (tmp_path / name).write_text("\n", "utf-8")

    with pytest.raises(InvalidParams) as caught:
        read_collection(tmp_path)

    assert caught.value.message == f"{tmp_path / name} has no rows."


def test_missing_judgements_are_named_as_the_layout_names_them(tmp_path: Path) -> None:
    """The user reads of `qrels.tsv`, not of the second place where they might have been."""
    write(tmp_path, "")
    (tmp_path / "qrels.tsv").unlink()

    with pytest.raises(InvalidParams) as caught:
        read_collection(tmp_path)

    assert caught.value.message == f"{tmp_path / 'qrels.tsv'} cannot be read: No such file or directory."


def test_id_that_is_true_is_none(tmp_path: Path) -> None:
    """JSON's true is no name, although Python counts it among the numbers."""
    write(tmp_path, "q1\td1\t1\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": true, "text": "x"}\n', "utf-8")

    with pytest.raises(InvalidParams, match=r"corpus\.jsonl, line 1: '_id' must be present and unique"):
        read_collection(tmp_path)


def test_document_id_twice_is_refused(tmp_path: Path) -> None:
    """Two documents under one id would make every score ambiguous."""
    write(tmp_path, "q1\td1\t1\n")
    with (tmp_path / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(CORPUS[0]) + "\n")

    with pytest.raises(InvalidParams, match=r"corpus\.jsonl, line 4: '_id' must be present and unique"):
        read_collection(tmp_path)


def test_collection_without_relevant_documents_is_refused(tmp_path: Path) -> None:
    """A mean over no query is no measurement."""
    with pytest.raises(InvalidParams, match="judges no document as relevant"):
        read_collection(write(tmp_path, "q1\td1\t0\n"))


def test_missing_directory_is_refused(tmp_path: Path) -> None:
    """The caller's mistake, named by the first file that is not there."""
    with pytest.raises(InvalidParams, match=r"nowhere/corpus\.jsonl cannot be read: No such file"):
        read_collection(tmp_path / "nowhere")
