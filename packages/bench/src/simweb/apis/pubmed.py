"""PubMed's abstract pages, written from the papers that it indexes."""

from __future__ import annotations

from collections.abc import Iterable

from simweb.markdown import Block, Heading, Paragraph, to_text
from simweb.model import Page, Paper, Site

SITE = Site(
    domain="pubmed.ncbi.nlm.nih.gov",
    name="PubMed",
    kind="academic",
    language="en",
    template="journal",
    tagline="National Library of Medicine",
    sections=("Advanced search", "Clipboard", "Save"),
)


def pages(papers: Iterable[Paper]) -> list[Page]:
    """One page a paper that has a PubMed number."""
    return [_page(paper) for paper in papers if paper.pmid and "pubmed" in paper.indexed_in]


def _page(paper: Paper) -> Page:
    abstract: tuple[Block, ...] = (Heading(2, "Abstract"), Paragraph(paper.abstract))
    blocks = abstract if paper.abstract else (Paragraph("No abstract available."),)
    return Page(
        site=SITE,
        path=f"/{paper.pmid}/",
        title=paper.title,
        blocks=blocks,
        text=to_text(blocks),
        date=paper.date,
        author=", ".join(paper.authors),
        lang=paper.language,
        kind="paper",
        paper=paper,
    )
