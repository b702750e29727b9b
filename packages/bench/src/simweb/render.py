"""Turns pages into the HTML of their site's design, furniture and metadata included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from simweb.markdown import Paragraph, to_html
from simweb.model import Page, Site
from simweb.walls import PAYWALL

TEMPLATES = Path(__file__).parent / "templates"

_RELATED = 5
_SCHEMA_TYPES = {
    "news": "NewsArticle",
    "blog": "BlogPosting",
    "aggregator": "NewsArticle",
    "journal": "ScholarlyArticle",
}


def environment() -> Environment:
    """The template environment that all hosts share."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )


class Renderer:
    """Renders pages, listings and 404 pages; reference lists show the titles of known pages."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._environment = environment()
        self._labels = yaml.safe_load((TEMPLATES / "labels.yaml").read_text("utf-8"))
        self._titles = {page.url: page.title for page in pages}

    def page(self, page: Page, siblings: Sequence[Page]) -> str:
        """A whole page; `siblings` are the other pages of its site."""
        return self._render(
            f"{page.site.template}.html.j2",
            page,
            related=_neighbours(page, siblings),
            body=self._body(page),
            references=[{"href": _href(item), "text": self._titles.get(item, item)} for item in page.cites],
            paper=page.paper,
            json_ld=_json_ld(page),
        )

    def teaser(self, page: Page, siblings: Sequence[Page]) -> str:
        """The page as those see it who have not paid: its beginning and the price."""
        start = [block for block in page.blocks if isinstance(block, Paragraph)][:1]
        html = self.page(replace(page, blocks=tuple(start), format="html"), siblings)
        return html.replace(to_html(tuple(start)), f"{to_html(tuple(start))}\n{PAYWALL}", 1)

    def _body(self, page: Page) -> Markup:
        html = to_html(page.blocks)
        if page.format in ("script", "fetched"):
            html = self._environment.get_template("script.html.j2").render(
                blocks=html.split("\n"),
                delay_s=page.appears_after_s,
                address=data_path(page) if page.format == "fetched" else None,
            )
        if page.hidden:
            html += (
                f'\n<div style="position:absolute;left:-9999px;font-size:1px;color:#fff">{escape(page.hidden)}</div>'
            )
        return Markup(html)

    def listing(self, site: Site, pages: Sequence[Page]) -> str:
        """The home page: what is new on the site."""
        newest = sorted(pages, key=lambda page: (page.date or date.min, page.path), reverse=True)
        return self._render("listing.html.j2", _furniture(site, "/", site.name), pages=newest, json_ld=None)

    def found(self, site: Site, query: str, hits: Sequence[object]) -> str:
        """The site's own search results."""
        page = _furniture(site, "/search", self._labels[site.language]["found"])
        return self._render("search.html.j2", page, pages=(), hits=hits, query=query, json_ld=None)

    def missing(self, site: Site, path: str) -> str:
        """The page that says that there is none."""
        page = _furniture(site, path, self._labels[site.language]["not_found"])
        return self._render("missing.html.j2", page, pages=(), json_ld=None)

    def _render(self, template: str, page: Page, **values: Any) -> str:
        return self._environment.get_template(template).render(
            page=page,
            site=page.site,
            label=self._labels[page.site.language],
            day=_day_writer(page.site.language),
            **values,
        )


def data_path(page: Page) -> str:
    """Where a `fetched` page finds its text, as JSON."""
    return f"/data{quote(page.path.rstrip('/'))}.json"


def _furniture(site: Site, path: str, title: str) -> Page:
    return Page(site, path, title, (), "", lang=site.language, kind="listing")


def _neighbours(page: Page, siblings: Sequence[Page]) -> list[Page]:
    """A few other pages of the site, the same ones every time."""
    others = [other for other in siblings if other.path != page.path]
    start = sum(page.path.encode()) % len(others) if others else 0
    return (others[start:] + others[:start])[:_RELATED]


def _href(item: str) -> str:
    return f"https://doi.org/{item}" if item.startswith("10.") else item


def _json_ld(page: Page) -> dict[str, Any] | None:
    kind = _SCHEMA_TYPES.get(page.site.template)
    if kind is None or page.date is None:
        return None
    return {
        "@context": "https://schema.org",
        "@type": kind,
        "headline": page.title,
        "datePublished": page.date.isoformat(),
        "dateModified": (page.updated or page.date).isoformat(),
        "author": {"@type": "Person", "name": page.author or page.site.name},
        "publisher": {"@type": "Organization", "name": page.site.name},
        "mainEntityOfPage": page.url,
    }


def _day_writer(lang: str) -> Any:
    def write(day: date) -> str:
        if lang == "ja":
            return f"{day.year}年{day.month}月{day.day}日"
        return f"{day.day} {day.strftime('%B %Y')}"

    return write


def encode(html: str, page: Page) -> tuple[bytes, str]:
    """The bytes of a page in its charset, and the content type it is sent with."""
    body = html.encode(page.charset, "xmlcharrefreplace")
    return body, f"text/html; charset={page.charset}" if page.declares_charset_in == "header" else "text/html"
