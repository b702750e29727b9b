"""What a page says about itself: title, dates, authors, language, identifiers and kind."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lyra.extract.blocks import single_line
from lyra.extract.dates import first_full_date, leading_date, parse_date
from lyra.model.page import Identifier, identifiers_in
from lyra.text import strip_control_chars
from lyra.urls import find_arxiv_ids, find_dois
from lyra.word_lists import word_lists

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_PUBLISHED_METAS = (
    "article:published_time citation_publication_date citation_online_date citation_date dc.date.issued dcterms.issued "
    "dcterms.created og:published_time parsely-pub-date sailthru.date pubdate publishdate publish-date publish_date "
    "publication_date datepublished date dc.date dcterms.date article.published "
    "originalpublicationdate cxenseparse:recs:publishtime"
).split()
_UPDATED_METAS = (
    "article:modified_time og:updated_time datemodified dcterms.modified dc.date.modified last-modified lastmod "
    "revised updated_time article:modified"
).split()
_AUTHOR_METAS = (
    "citation_author author article:author dc.creator dcterms.creator parsely-author sailthru.author byl".split()
)
_STATUS_METAS = "citation_article_type dc.type dcterms.type prism.section article:status".split()
_TITLE_METAS = "citation_title og:title dc.title dcterms.title twitter:title".split()
_ARTICLE_TYPE = re.compile(
    r"Article|Posting|Report|WebPage|Review|Dataset|Book|Thesis|Recipe|Event|Question", re.IGNORECASE
)
_SITE_SEPARATOR = re.compile(r"\s+[|｜–—:»«·•-]\s+|\s*[｜|]\s*|\s+::\s+|(?<=\S) - (?=\S)")
_NOT_A_NAME = re.compile(r"https?://|^@|^(?:admin|editor|staff|null|undefined|by|author)$", re.IGNORECASE)
_BESIDE_HEADING_CHARS = 700
_MAX_AUTHORS = 60
_MAX_SITE_NAME = 80
_PUBLISHED_MARKS = "descendant::*[(contains(@itemprop, 'datePublished') or @pubdate) and not(self::meta)]"
_AUTHOR_CLASS = re.compile(r"(?:^|[\s_-])(?:byline|author|writer|reporter)(?:[\s_-]*name)?(?:$|\s)", re.IGNORECASE)
_BYLINE = re.compile(r"^(?:(?:by|par|von|por)\s+)?[^\W\d]+(?:[\s.'’-]+[^\W\d]+){1,4}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What could be read from one page; empty where it is silent."""

    title: str = ""
    description: str = ""
    date: str | None = None
    updated: str | None = None
    authors: tuple[str, ...] = ()
    language: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    schema_types: frozenset[str] = frozenset()
    og_type: str = ""
    has_citation_meta: bool = False
    has_article_element: bool = False
    is_retracted: bool = False
    site_name: str = ""


def read_metadata(tree: "HtmlElement", url: str, visible: str) -> Metadata:
    """Declared metadata first, the page's visible words (`visible`, from its heading on) second."""
    metas = _metas(tree)
    objects = jsonld_objects(tree)
    about = [node for node in objects if any(_ARTICLE_TYPE.search(kind) for kind in jsonld_types(node))]
    return Metadata(
        title=_title(tree, metas, about),
        description=_first([*metas.get("og:description", ()), *metas.get("description", ())]) or "",
        date=_published(tree, metas, about, url, visible),
        updated=_updated(metas, about, visible),
        authors=_authors(tree, metas, about),
        language=_language(tree, metas),
        identifiers=_identifiers(metas, url),
        schema_types=frozenset(kind for node in objects for kind in jsonld_types(node)),
        og_type=next(iter(metas.get("og:type", ())), "").lower(),
        has_citation_meta="citation_title" in metas,
        has_article_element=tree.find(".//article") is not None,
        is_retracted=_is_retracted(metas, about),
        site_name=_site_name(metas, about),
    )


def _metas(tree: "HtmlElement") -> dict[str, list[str]]:
    metas: dict[str, list[str]] = defaultdict(list)
    for meta in tree.iter("meta"):
        names = meta.get("property") or meta.get("name") or meta.get("itemprop") or meta.get("http-equiv") or ""
        content = single_line(meta.get("content") or "")
        for name in names.lower().split() if content else ():
            metas[re.sub(r"^(dc|dcterms?)[:.]", r"\1.", name)].append(content)
    return metas


def _is_retracted(metas: dict[str, list[str]], about: list[dict[str, Any]]) -> bool:
    """Whether the metadata itself calls the page retracted or withdrawn; a notice about another paper does not."""
    declared = [value for name in _STATUS_METAS for value in metas.get(name, ())]
    declared += [status for node in about if isinstance(status := node.get("creativeWorkStatus"), str)]
    status = _word("retracted")
    return any(status.fullmatch(value.strip()) for value in declared)


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value), None)


def _title(tree: "HtmlElement", metas: dict[str, list[str]], about: list[dict[str, Any]]) -> str:
    """The main heading where a declared title bears it out or there is none; else that title less the site's name."""
    declared = [metas[name][0] for name in _TITLE_METAS if name in metas]
    element = tree.find(".//title")
    declared += [single_line(element.text_content())] if element is not None else []
    declared += [single_line(node["headline"]) for node in about if isinstance(node.get("headline"), str)]
    titles = [_without_site(title, metas) for title in declared if title]
    headings = [text for heading in tree.iter("h1") if (text := single_line(heading.text_content()))]
    for text in headings:
        if len(text) >= 4 and any(_is_borne_out(text, title) for title in titles):
            return text
    return next(iter([*titles, *headings]), "")


def _is_borne_out(heading: str, title: str) -> bool:
    """A heading that is a small part of the title, and not its first, is the site's name."""
    if min(len(heading), len(title)) >= 0.5 * max(len(heading), len(title)):
        return heading in title or title in heading
    return _SITE_SEPARATOR.split(title)[0] == heading


def _without_site(title: str, metas: dict[str, list[str]]) -> str:
    parts = _SITE_SEPARATOR.split(title)
    if len(parts) < 2:
        return title
    site = (_first(metas.get("og:site_name", ())) or "").casefold()
    last = parts[-1].strip().casefold()
    if (site and last == site) or (not site and len(last) <= 30 and len(parts[0]) >= 15):
        return title[: title.rindex(parts[-1])].rstrip(" |｜–—:»«·•-")
    return title


def _site_name(metas: dict[str, list[str]], about: list[dict[str, Any]]) -> str:
    publishers = [name for node in about for name in jsonld_names(node.get("publisher"))]
    declared = [*metas.get("og:site_name", ()), *publishers, *metas.get("application-name", ())]
    name = _first(single_line(strip_control_chars(one)) for one in declared) or ""
    return name[:_MAX_SITE_NAME].rstrip()


def _published(
    tree: "HtmlElement", metas: dict[str, list[str]], about: list[dict[str, Any]], url: str, visible: str
) -> str | None:
    declared = [
        str(node[key]) for key in ("datePublished", "dateCreated", "uploadDate") for node in about if node.get(key)
    ]
    declared += [value for name in _PUBLISHED_METAS for value in metas.get(name, ())]
    return (
        _first(parse_date(value) for value in declared)
        or _first(parse_date(value) for value in _time_elements(tree))
        or _labelled(_word("published"), visible)
        or _date_in_address(url)
        or _near_heading(visible)
    )


def _time_elements(tree: "HtmlElement") -> Iterator[str]:
    """What is marked as the date of publication first, then the first times outside menus and margins."""
    marked = tree.xpath(_PUBLISHED_MARKS)
    others = [e for e in tree.iter("time") if next(e.iterancestors("nav", "aside", "footer"), None) is None]
    for element in [*marked, *others][:10]:
        yield element.get("datetime") or element.get("content") or element.get("title") or element.text_content()


def _updated(metas: dict[str, list[str]], about: list[dict[str, Any]], visible: str) -> str | None:
    declared = [str(node["dateModified"]) for node in about if node.get("dateModified")]
    declared += [value for name in _UPDATED_METAS for value in metas.get(name, ())]
    return _first(parse_date(value) for value in declared) or _labelled(_word("updated"), visible)


def _labelled(label: re.Pattern[str], visible: str) -> str | None:
    return _first(leading_date(visible[match.end() : match.end() + 40]) for match in label.finditer(visible))


def _near_heading(visible: str) -> str | None:
    """A whole date beside the main heading, and no older than the web: others are what the text is about."""
    date = first_full_date(visible[:_BESIDE_HEADING_CHARS])
    return date if date and date >= "1994" else None


def _date_in_address(url: str) -> str | None:
    match = re.search(
        r"/((?:19|20)\d{2})/(\d{1,2})/(\d{1,2})(?:/|$|-)|/((?:19|20)\d{2})-?(\d{2})-?(\d{2})(?:/|-|$)", url
    )
    return parse_date("-".join(part for part in match.groups() if part)) if match else None


def _authors(tree: "HtmlElement", metas: dict[str, list[str]], about: list[dict[str, Any]]) -> tuple[str, ...]:
    """The first of these that names anybody: JSON-LD, metas, marked elements, the first byline."""
    marked, bylines = _marked_authors(tree)
    for group in (
        [name for node in about for name in jsonld_names(node.get("author") or node.get("creator"))],
        *(metas[name] for name in _AUTHOR_METAS if name in metas),
        marked,
        bylines[:1],
    ):
        names = [name for entry in group for name in _split_names(single_line(entry))]
        if names:
            return tuple(dict.fromkeys(names))[:_MAX_AUTHORS]
    return ()


def _marked_authors(tree: "HtmlElement") -> tuple[list[str], list[str]]:
    """Texts that the markup calls the author by relation or property, and those it calls so by class only."""
    marked: list[str] = []
    bylines: list[str] = []
    for element in tree.iter("a", "span", "div", "p", "address"):
        if element.get("rel") == "author" or element.get("itemprop") in {"author", "name author"}:
            marked.append(element.text_content())
        elif _AUTHOR_CLASS.search(element.get("class") or ""):
            text = single_line(element.text_content())
            bylines += [text] if _BYLINE.match(text) else []
    return marked, bylines


def _split_names(entry: str) -> Iterator[str]:
    entry = re.sub(r"^(?:by\s|von\s|par\s|por\s|文[:：]|著者[:：])\s*", "", entry, flags=re.IGNORECASE)
    # "Family, Given" is one name; a list of whole names is several.
    parts = re.split(r"\s*[;、]\s*|\s+(?:and|und|et)\s+", entry)
    if len(parts) == 1 and all(" " in part.strip() for part in entry.split(",")):
        parts = entry.split(",")
    for part in parts:
        name = part.strip(" ,.・")
        if 2 <= len(name) <= 80 and not _NOT_A_NAME.search(name):
            yield name


def _language(tree: "HtmlElement", metas: dict[str, list[str]]) -> str | None:
    root = tree.getroottree().getroot()
    declared = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang")
    value = declared or _first([*metas.get("content-language", ()), *metas.get("og:locale", ())])
    match = re.match(r"\s*([A-Za-z]{2,3})(?:[-_]|\s*$|,)", value or "")
    return match.group(1).lower() if match else None


def _identifiers(metas: dict[str, list[str]], url: str) -> tuple[Identifier, ...]:
    """The page's own identifiers: those of its citation metas and of its address."""
    found: list[Identifier] = []
    for name in ("citation_doi", "dc.identifier", "prism.doi", "bepress_citation_doi", "dcterms.identifier"):
        found += [Identifier("doi", doi) for value in metas.get(name, ()) for doi in find_dois(value)]
    found += [Identifier("pmid", value) for value in metas.get("citation_pmid", ()) if value.isdigit()]
    found += [
        Identifier("arxiv", found_id)
        for value in metas.get("citation_arxiv_id", ())
        for found_id in find_arxiv_ids(f"arxiv:{value}")
    ]
    found += identifiers_in(url)
    return tuple(dict.fromkeys(found))


def _word(name: str) -> re.Pattern[str]:
    """What pages call a date, or themselves, in either language."""
    return word_lists("lyra.extract", "page_parts", "en", "ja").pattern(name)


if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_SCRIPT_CHARS = 1_000_000
_MAX_NODES = 2_000
# Old templates wrap the object so that XML parsers leave it alone.
_WRAPPING = re.compile(r"^\s*(?://\s*)?(?:<!--|<!\[CDATA\[)|(?://\s*)?(?:-->|\]\]>)\s*$")
_ABOUT_THE_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")


def jsonld_objects(tree: "HtmlElement") -> list[dict[str, Any]]:
    """Every top-level object, with those of `@graph` and the page's main entity; broken scripts are skipped."""
    found: list[dict[str, Any]] = []
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or "").lower() and script.text and len(script.text) <= _MAX_SCRIPT_CHARS:
            try:
                # Real pages have raw line ends inside strings.
                parsed = json.loads(_WRAPPING.sub("", script.text), strict=False)
            except (ValueError, RecursionError):
                continue
            for node in _unfold_jsonld(parsed):
                found.append(node)
                if len(found) >= _MAX_NODES:
                    return found
    return found


def _unfold_jsonld(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _unfold_jsonld(entry, depth + 1)
    elif isinstance(value, dict):
        yield value
        for key in _ABOUT_THE_PAGE:
            yield from _unfold_jsonld(value.get(key), depth + 1)


def jsonld_types(node: dict[str, Any]) -> tuple[str, ...]:
    declared = node.get("@type")
    entries = declared if isinstance(declared, list) else [declared]
    return tuple(str(entry).rsplit("/", 1)[-1] for entry in entries if isinstance(entry, str))


def jsonld_names(value: Any) -> Iterator[str]:
    """The names in an author property: a string, an object, or a list of either."""
    if isinstance(value, list):
        for entry in value[:50]:
            yield from jsonld_names(entry)
    elif isinstance(value, dict):
        yield from jsonld_names(value.get("name"))
    elif isinstance(value, str):
        yield value
