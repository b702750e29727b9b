"""Retrieval collections as documents, queries and judgements: Cranfield, CACM, NPL, JaQuAD and parallel sentences."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from jaquad import read_paragraphs

FIELD = re.compile(r"^\.([A-Z])\s*(.*)$")


@dataclass(frozen=True)
class Collection:
    """`relevant` holds, for each query, the documents judged relevant and their grades."""

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


def smart_records(path: Path, kept: str) -> list[tuple[str, str]]:
    """Records of the SMART format: number and the joined text of the kept fields."""
    records: list[tuple[str, list[str]]] = []
    current = ""
    for line in path.read_text("latin-1").splitlines():
        if match := FIELD.match(line):
            current = match.group(1)
            if current == "I":
                records.append((match.group(2).strip(), []))
        elif records and current in kept:
            records[-1][1].append(line)
    return [(number, " ".join(lines).strip()) for number, lines in records]


def cranfield(folder: Path) -> Collection:
    """Queries are numbered by their order, not by their own numbers; grade 5 is not relevant."""
    documents = dict(smart_records(folder / "cran.all.1400", "TW"))
    queries = {str(i): text for i, (_, text) in enumerate(smart_records(folder / "cran.qry", "W"), 1)}
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "cranqrel").read_text().splitlines():
        query, document, grade = line.split()[:3]
        if 1 <= int(grade) <= 4:
            relevant[query][document] = 1
    return Collection("cranfield", documents, queries, dict(relevant))


def cacm(folder: Path) -> Collection:
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.text").read_text().splitlines():
        query, document = line.split()[:2]
        relevant[str(int(query))][str(int(document))] = 1
    documents = dict(smart_records(folder / "cacm.all", "TW"))
    return Collection("cacm", documents, dict(smart_records(folder / "query.text", "W")), dict(relevant))


def trec_records(path: Path) -> list[tuple[str, str]]:
    pattern = re.compile(r"<(?:DOCNO|NUM)>\s*(?:Number:)?\s*(\d+)\s*</(?:DOCNO|NUM)>(.*?)</(?:DOC|TOP)>", re.S | re.I)
    found = pattern.findall(path.read_text("latin-1"))
    return [(number, " ".join(re.sub(r"<[^>]+>", " ", text).split())) for number, text in found]


def npl(folder: Path) -> Collection:
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels").read_text().splitlines():
        query, _, document, grade = line.split()
        if int(grade):
            relevant[query][document] = 1
    documents = dict(trec_records(folder / "corpus" / "doc-text.trec"))
    queries = {number: text.lower() for number, text in trec_records(folder / "query-text.trec")}
    return Collection("npl", documents, queries, dict(relevant))


def jaquad(folder: Path, queries_per_paragraph: int = 1) -> Collection:
    """Questions against the paragraphs of the articles that were held out of training."""
    documents, queries, relevant = {}, {}, {}
    for number, each in enumerate(p for p in read_paragraphs(folder) if p.is_held_out):
        documents[str(number)] = f"{each.title} {each.text}"
        for place, question in enumerate(each.questions[:queries_per_paragraph]):
            queries[f"{number}-{place}"] = question
            relevant[f"{number}-{place}"] = {str(number): 1}
    return Collection("jaquad", documents, queries, relevant)
