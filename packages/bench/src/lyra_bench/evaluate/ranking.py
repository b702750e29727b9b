"""`lyra eval ranking`: how the product's ranking, before its cut, does on a collection in BEIR layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.jsonl import Progress, bad_row, json_lines, text_field, text_lines
from lyra.rank.ranker import Ranker, index_documents, lexical_scores

DEPTH = 10
_PLACES = 4
_LONGEST_SCORE = 9


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents and queries by id, and for each query the grade of its relevant documents."""

    documents: Mapping[str, str]
    queries: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]


async def evaluate_ranking(directory: Path, ranker: Ranker, *, progress: Progress | None = None) -> dict[str, Any]:
    """Rank the whole corpus for every judged query. Give the ranker a cached embedder: documents come up often."""
    collection = read_collection(directory)
    ids = list(collection.documents)
    corpus = await index_documents(list(collection.documents.values()))
    totals = {"ndcg@10": 0.0, "recall@10": 0.0, "bm25_ndcg@10": 0.0}
    for done, (query, grades) in enumerate(collection.grades.items(), 1):
        text = collection.queries[query]
        found = [ids[each.index] for each in (await ranker.rank_in(corpus, text))[:DEPTH]]
        lexical = await lexical_scores(corpus, text)
        by_words = [ids[place] for place in (-lexical).argsort(kind="stable")[:DEPTH]]
        totals["ndcg@10"] += ndcg(found, grades)
        totals["recall@10"] += recall(found, grades)
        totals["bm25_ndcg@10"] += ndcg(by_words, grades)
        if progress:
            progress(done, len(collection.grades))
    return {name: round(total / len(collection.grades), _PLACES) for name, total in totals.items()}


def ndcg(found: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> float:
    """Normalised discounted cumulative gain with linear gain, as trec_eval computes it."""
    gain = sum(grades.get(name, 0) / log2(place + 2) for place, name in enumerate(found[:depth]))
    ideal = sum(grade / log2(place + 2) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:depth]))
    return gain / ideal


def recall(found: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> float:
    """The share of the relevant documents among the first `depth`."""
    return len(set(found[:depth]) & set(grades)) / len(grades)


def read_collection(directory: Path) -> Collection:
    """`corpus.jsonl`, `queries.jsonl` and `qrels.tsv` or `qrels/test.tsv`; a document is its title and text."""
    documents = _read_texts(directory / "corpus.jsonl", with_title=True)
    queries = _read_texts(directory / "queries.jsonl", with_title=False)
    flat, nested = directory / "qrels.tsv", directory / "qrels" / "test.tsv"
    judgements = nested if nested.exists() and not flat.exists() else flat
    grades = _read_grades(judgements, queries)
    if not grades:
        raise InvalidParams(
            f"{judgements} judges no document as relevant.", remedy="Give judgements with a score above 0."
        )
    return Collection(documents, queries, grades)


def _read_texts(path: Path, *, with_title: bool) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, row in json_lines(path):
        name = row.get("_id")
        if not isinstance(name, str | int) or isinstance(name, bool) or str(name) in texts:
            raise bad_row(path, number, "'_id' must be present and unique")
        text = text_field(row, "text", path, number, may_be_empty=with_title)
        title = str(row.get("title") or "") if with_title else ""
        texts[str(name)] = f"{title}\n{text}".strip()
    if not texts:
        raise InvalidParams(f"{path} has no rows.", remedy="Give a file with one text a line.")
    return texts


def _read_grades(path: Path, queries: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Judgements `query document score`, with or without a heading; only scores above 0 are kept.

    A first line that names a query is no heading, whatever its score looks like. Ids with spaces need tabs between the
    fields. A judged document that the corpus lacks stays, as one that cannot be found (trec_eval does the same).
    """
    grades: dict[str, dict[str, int]] = {}
    for number, line in text_lines(path):
        fields = _fields(line)
        if number == 1 and fields[0] not in queries and not _is_whole(fields[-1]):
            continue
        if len(fields) != 3 or not _is_whole(fields[2]):
            raise bad_row(path, number, "it is not `query-id<TAB>corpus-id<TAB>score`")
        query, document, score = fields[0], fields[1], int(fields[2])
        if query not in queries:
            raise bad_row(path, number, f"the query {query[:40]!r} is not in queries.jsonl")
        if score > 0:
            grades.setdefault(query, {})[document] = score
    return grades


def _fields(line: str) -> list[str]:
    parts = line.split()
    return parts if len(parts) == 3 else [field.strip() for field in line.strip().split("\t")]


def _is_whole(field: str) -> bool:
    digits = field.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_SCORE
