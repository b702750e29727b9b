"""Abstracts read out of archived answers of the APIs."""

import json
from typing import Any

import pytest

from lyra.academic.identity import merge
from lyra.archived_answers import answered_document
from lyra.model.page import ArchiveRef, Identifier
from lyra.model.work import Work

ABSTRACT = "Saxagliptin increased hospitalisation for heart failure."
OTHER = "サキサグリプチンは心不全による入院を増やした。"
S2_PAPER = {"title": "SAVOR", "abstract": ABSTRACT}
OPENALEX_WORK = {
    "title": "SAVOR",
    "abstract_inverted_index": {
        "Saxagliptin": [0], "increased": [1], "hospitalisation": [2], "for": [3], "heart": [4], "failure.": [5],
    },
}  # fmt: skip
DOI = (Identifier("doi", "10.1056/nejmoa1307684"),)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"total": 2, "data": [{"title": "別", "abstract": OTHER}, S2_PAPER]}, id="a search"),
        pytest.param([None, S2_PAPER], id="a batch"),
        pytest.param({"data": [{"isInfluential": True, "citedPaper": S2_PAPER}]}, id="references"),
        pytest.param({"results": [OPENALEX_WORK]}, id="an inverted abstract"),
    ],
)
def test_the_abstract_is_found_in_every_kind_of_answer(answer: Any) -> None:
    """Its words come out as the search read them, whichever API and question they came from."""
    found = answered_document("abstract:any", json.dumps(answer).encode(), ABSTRACT)

    assert found is not None
    assert (found.title, found.text) == ("SAVOR", ABSTRACT)


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff\x00", b"[]", b'{"data": null}', b"[" * 100_000])
def test_what_holds_no_abstract_gives_none(body: bytes) -> None:
    """Empty, foreign, binary and hostile bytes are no proof and no accident."""
    assert answered_document("abstract:any", body, ABSTRACT) is None


def test_a_merged_work_names_the_record_of_its_abstract() -> None:
    """Of two APIs' records the fuller abstract is kept, and with it the answer that proves it."""
    refs = [ArchiveRef(path="a.warc.gz", offset=place, length=9, record_id=f"<urn:{place}>") for place in (0, 9)]
    works = [
        Work("doi:10.1056/nejmoa1307684", "SAVOR", text, identifiers=DOI, archive=ref)
        for text, ref in zip((ABSTRACT[:20], ABSTRACT), refs, strict=True)
    ]

    (merged,) = merge(works)

    assert (merged.abstract, merged.archive) == (ABSTRACT, refs[1])
