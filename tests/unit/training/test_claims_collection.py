"""Claims and abstracts as a retrieval collection."""

import json
from pathlib import Path

ROWS = [
    {"premise": "Abstract A", "hypothesis": "Claim 1", "label": "E", "source": "scifact"},
    {"premise": "Abstract B", "hypothesis": "Claim 1", "label": "N", "source": "scifact"},
    {"premise": "Abstract B", "hypothesis": "主張 2", "label": "C", "source": "scifact"},
    {"premise": "Abstract B", "hypothesis": "主張 2", "label": "C", "source": "scifact"},
    {"premise": "Passage C", "hypothesis": "Claim 3", "label": "E", "source": "healthver"},
]


def test_only_what_settles_a_claim_is_relevant(script):
    """Neutral abstracts and passages of other sources are documents and nothing more; no pair counts twice."""
    documents, queries, settled = script("claims_collection").collection(ROWS)

    assert documents == {"Abstract A": "d0", "Abstract B": "d1", "Passage C": "d2"}
    assert queries == {"Claim 1": "q0", "主張 2": "q1"}
    assert settled == [("q0", "d0"), ("q1", "d1")]


def test_files_have_the_layout_that_is_read(script, tmp_path: Path):
    """`corpus.jsonl`, `queries.jsonl` and `qrels.tsv` with its heading."""
    made = script("claims_collection")

    made.write(tmp_path, *made.collection(ROWS))

    queries = [json.loads(line) for line in (tmp_path / "queries.jsonl").read_text("utf-8").splitlines()]
    assert queries[1] == {"_id": "q1", "title": "", "text": "主張 2"}
    assert (tmp_path / "qrels.tsv").read_text("utf-8") == "query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td1\t1\n"
    assert len((tmp_path / "corpus.jsonl").read_text("utf-8").splitlines()) == 3
