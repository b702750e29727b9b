"""The GraphML export as networkx reads it."""

import networkx

from lyra.report.export.names import ExportFormat
from tests.export_data import HASH, LONG, WORDS, Exports


def graph(exports: Exports) -> "networkx.MultiDiGraph[str]":
    return networkx.read_graphml(exports.path(ExportFormat.GRAPHML), force_multigraph=True)


def test_claims_and_pages_are_nodes(hostile: Exports) -> None:
    """Marks that end a section of XML, or a tag, are text."""
    nodes = graph(hostile).nodes

    assert [(name, nodes[name]["kind"]) for name in nodes] == [
        ("c_1", "hypothesis"),
        ("c_2", "claim"),
        ("c_3", "claim"),
        ("p_1", "page"),
        ("p_2", "page"),
        ("p_3", "page"),
    ]
    said = hostile.records.claims[0].claim.claim_text.replace("\uffff", "")
    assert (nodes["c_1"]["label"], nodes["p_3"]["label"]) == (said, LONG)
    assert [nodes[page]["is_retracted"] for page in ("p_1", "p_2", "p_3")] == [False, True, False]


def test_stances_and_citations_are_edges(hostile: Exports) -> None:
    """Two quotes of one page for one claim are two edges."""
    edges = [(*ends, key, data["relation"]) for *ends, key, data in graph(hostile).edges(keys=True, data=True)]

    assert sorted(edges) == [
        ("p_1", "c_1", "e_1", "supports"),
        ("p_1", "c_1", "e_2", "supports"),
        ("p_1", "p_2", "cites p_1 p_2", "cites"),
        ("p_2", "c_1", "e_3", "refutes"),
        ("p_3", "c_2", "e_4", "refutes"),
        ("p_3", "p_1", "cites p_3 p_1", "cites"),
    ]


def test_an_edge_has_quote_place_hashes_vote_and_review(hostile: Exports) -> None:
    """With their types."""
    found = graph(hostile).edges
    first, second, third = found["p_1", "c_1", "e_1"], found["p_1", "c_1", "e_2"], found["p_2", "c_1", "e_3"]

    names = ("quote", "char_start", "char_end", "text_hash", "content_hash", "votes", "weight")
    assert [first[name] for name in names] == [WORDS, 120, 146, HASH, HASH[::-1], True, 0.91]
    assert [third[name] for name in ("votes", "no_vote", "is_retracted")] == [False, "retracted", True]
    assert (second["reviewed_at"], second["judged_relation"]) == ("2026-03-02T09:00:00.000Z", "refutes")


def test_no_claim_and_3000_claims(sized: Exports) -> None:
    """A node for each claim and page, an edge for each quote."""
    found = graph(sized)

    count = len(sized.records.claims)
    assert (found.number_of_nodes(), found.number_of_edges()) == (2 * count, count)
