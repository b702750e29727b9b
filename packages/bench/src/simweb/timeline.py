"""The world on an earlier day: pages as they stood then, papers that were out, retractions that had happened."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from simweb.model import Page, Paper, Topic


def as_of(topic: Topic, day: date | None) -> Topic:
    """The topic on that day; None stands for now, when everything is as last written."""
    if day is None:
        return topic
    papers = {paper.id: _paper_at(paper, day) for paper in topic.papers if paper.date <= day}
    standing = (version_at(page, day) for page in topic.pages)
    pages = (replace(page, paper=papers.get(page.paper.id)) if page.paper else page for page in standing if page)
    return replace(topic, pages=tuple(pages), papers=tuple(papers.values()))


def version_at(page: Page, day: date) -> Page | None:
    """The version that stood on that day, without its later ones; None before the first."""
    versions = (*page.earlier, page)
    first = page.earlier[0].changed if page.earlier else page.date
    standing = [number for number, version in enumerate(versions) if number and _since(version) <= day]
    if first is not None and first > day:
        return None
    last = standing[-1] if standing else 0
    return replace(versions[last], earlier=versions[:last], archived=tuple(one for one in page.archived if one <= day))


def _since(version: Page) -> date:
    return version.changed or date.min


def _paper_at(paper: Paper, day: date) -> Paper:
    is_known = paper.is_retracted and (paper.retracted_on is None or paper.retracted_on <= day)
    return replace(paper, is_retracted=is_known)
