"""The work object of OpenAlex, made from a paper."""

from __future__ import annotations

from typing import Any

from simweb.apis.papers import Papers, number_of
from simweb.model import Paper

_TYPES = {"article": "article", "proceedings": "article", "preprint": "preprint", "editorial": "editorial"}


def short_id(paper: Paper) -> str:
    return f"W{4_300_000_000 + number_of(paper.id, 8)}"


def work(paper: Paper, papers: Papers) -> dict[str, Any]:
    """Every field that a client of ours may read, in the shape of the recorded answers."""
    full_id = f"https://openalex.org/{short_id(paper)}"
    location = _location(paper)
    return {
        "id": full_id,
        "doi": f"https://doi.org/{paper.doi.lower()}" if paper.doi else None,
        "title": paper.title,
        "display_name": paper.title,
        "publication_year": paper.year,
        "publication_date": paper.date.isoformat(),
        "ids": _ids(paper, full_id),
        "language": paper.language,
        "primary_location": location,
        "type": _TYPES[paper.kind],
        "indexed_in": ["arxiv"] if paper.arxiv else ["crossref", "pubmed"],
        "open_access": {
            "is_oa": bool(paper.arxiv),
            "oa_status": "green" if paper.arxiv else "closed",
            "oa_url": f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv else None,
            "any_repository_has_fulltext": bool(paper.arxiv),
        },
        "authorships": [_authorship(paper, rank) for rank in range(len(paper.authors))],
        "cited_by_count": papers.citation_count(paper),
        "biblio": {"volume": None, "issue": None, "first_page": None, "last_page": None},
        "is_retracted": paper.is_retracted,
        "is_paratext": False,
        "primary_topic": _TOPIC,
        "topics": [_TOPIC],
        "keywords": [],
        "concepts": [],
        "mesh": [],
        "locations_count": 1,
        "locations": [location],
        "best_oa_location": location if paper.arxiv else None,
        "referenced_works_count": len(paper.references),
        "referenced_works": [f"https://openalex.org/{short_id(other)}" for other in papers.references(paper)],
        "related_works": [],
        "abstract_inverted_index": inverted(paper.abstract) if paper.abstract else None,
        "counts_by_year": [],
        "updated_date": "2025-09-01T00:00:00.000000",
        "created_date": paper.date.isoformat(),
    }


def inverted(abstract: str) -> dict[str, list[int]]:
    """Word to positions, the form in which OpenAlex gives abstracts."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(abstract.split()):
        positions.setdefault(word, []).append(position)
    return positions


def _ids(paper: Paper, full_id: str) -> dict[str, str]:
    ids = {"openalex": full_id}
    if paper.doi:
        ids["doi"] = f"https://doi.org/{paper.doi.lower()}"
    if paper.pmid:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{paper.pmid}"
    return ids


def _location(paper: Paper) -> dict[str, Any]:
    is_preprint = bool(paper.arxiv)
    return {
        "is_oa": is_preprint,
        "landing_page_url": f"https://doi.org/{paper.doi}",
        "pdf_url": None,
        "source": {
            "id": f"https://openalex.org/S{4_200_000_000 + number_of(paper.venue, 8)}",
            "display_name": paper.venue,
            "issn_l": None,
            "issn": None,
            "is_oa": is_preprint,
            "is_in_doaj": False,
            "is_core": not is_preprint,
            "type": "repository" if is_preprint else "journal",
        },
        "license": None,
        "version": "submittedVersion" if is_preprint else "publishedVersion",
        "is_accepted": not is_preprint,
        "is_published": not is_preprint,
    }


def _authorship(paper: Paper, rank: int) -> dict[str, Any]:
    name = paper.authors[rank]
    is_last = rank == len(paper.authors) - 1 and rank > 0
    return {
        "author_position": "first" if rank == 0 else "last" if is_last else "middle",
        "author": {
            "id": f"https://openalex.org/A{5_000_000_000 + number_of(name, 8)}",
            "display_name": name,
            "orcid": None,
        },
        "institutions": [],
        "countries": [],
        "is_corresponding": rank == 0,
        "raw_author_name": name,
        "raw_affiliation_strings": [],
        "affiliations": [],
    }


_TOPIC: dict[str, Any] = {
    "id": "https://openalex.org/T10560",
    "display_name": "Diabetes Treatment and Management",
    "score": 0.99,
    "subfield": {"id": "https://openalex.org/subfields/2712", "display_name": "Endocrinology, Diabetes and Metabolism"},
    "field": {"id": "https://openalex.org/fields/27", "display_name": "Medicine"},
    "domain": {"id": "https://openalex.org/domains/4", "display_name": "Health Sciences"},
}
