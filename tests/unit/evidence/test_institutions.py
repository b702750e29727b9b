"""Two passages with their pages: do they go back to one institution, or are they two sources?"""

from pathlib import Path

import pytest
import yaml

from lyra.evidence.independence import supporting_sources
from lyra.evidence.institutions import institutions
from lyra.evidence.named_page import NamedPage
from lyra.evidence.origins import origins
from lyra.model.edge import EvidenceRow, Relation
from lyra.urls import registrable_domain

_TABLES = Path(__file__).with_name("attributions")
_SOURCES = {"one": 1, "two": 2}


def _pairs(table: str) -> list[object]:
    found = yaml.safe_load((_TABLES / f"{table}.yaml").read_text("utf-8"))
    return [
        pytest.param(pair, _SOURCES[sources], id=f"{table}-{sources}-{name}")
        for sources, pairs in found.items()
        for name, pair in pairs.items()
    ]


def _row(page_id: str, host: str, title: str, passage: str, quote: str = "") -> EvidenceRow:
    page = NamedPage(title, f"https://{host}/{page_id}", passage)
    judged = quote or passage
    return EvidenceRow(
        claim_id="c1",
        fragment_id=f"f-{page_id}",
        page_id=page_id,
        domain=registrable_domain(host),
        relation=Relation.SUPPORTS,
        nli_confidence=0.9,
        url=page.url,
        origins=(*origins(judged, passage), *institutions(judged, passage, page)),
    )


@pytest.mark.parametrize(("pair", "sources"), [*_pairs("en"), *_pairs("ja")])
def test_what_one_institution_says_is_one_source(pair: list[list[str]], sources: int) -> None:
    """Who credits an institution by name is one source with it and with all who credit it; others stay separate."""
    rows = [_row(f"p{number}", *side) for number, side in enumerate(pair)]

    assert len(supporting_sources(rows)) == sources
