"""Markup to a tree of bounded size that holds only what a reader of the page would see."""

import re
from itertools import islice
from typing import TYPE_CHECKING

from lyra.extract.hidden import HiddenText, take_hidden

if TYPE_CHECKING:
    from lxml.etree import _Element
    from lxml.html import HtmlElement

_MAX_CHARS = 12_000_000
_MAX_ELEMENTS = 50_000
_MAX_ATTRIBUTE_CHARS = 2_000
_MAX_DEPTH = 200
_DEEP = "/".join("*" * (_MAX_DEPTH + 1))
_MAX_TABLE_DEPTH = 12
_MAX_LINKS_A_BLOCK = 500
_TABLE_PARTS = ("table", "thead", "tbody", "tfoot", "tr", "td", "th")
_LONG_VALUE = re.compile(
    rf"""=\s*(?:"[^"]{{{_MAX_ATTRIBUTE_CHARS}}}|'[^']{{{_MAX_ATTRIBUTE_CHARS}}}|[^\s"'>]{{{_MAX_ATTRIBUTE_CHARS}}})"""
)
# Control characters, raw or as references: lxml reads them and then refuses to write any text that has one.
_CONTROLS = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_CONTROL_REFERENCES = re.compile(
    r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])(?!\d)|[xX]0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]|[fF]{3}[efEF])(?![0-9a-fA-F]));?"
)
# Invisible, and gone again when the text is tidied.
_MARK = "\u2060"
_MOST_MARKS = 20
# Head and foot of the page; not those of an article, which name its subject.
_OWN_PARTS = """body//*[self::header or self::footer or @class = 'brand' or contains(@class, 'tagline')]
    [not(ancestor::article or ancestor::main)]"""
_MAX_OWN_PARTS = 20
_MAX_TAGLINES = 200
# Containers without a word cost every later pass its time; those of lists, tables and links shape what is around them.
_WORDLESS = """body//*[(self::span or self::i or self::div or self::section or self::ins)
    and not(normalize-space()) and not(descendant::br)]"""
_SENTENCE_CHARS = 30
_NAVIGATION = tuple(
    "nav footer aside iframe select button input menu dialog object "
    "img picture source video audio canvas embed map area track meta link".split()
)


def parse(markup: str) -> "HtmlElement | None":
    """The tree, or none where there is no element at all."""
    return parse_visible(markup)[0]


def parse_visible(markup: str) -> "tuple[HtmlElement | None, HiddenText]":
    """The tree, or none where there is no element at all, and the words that no reader sees."""
    from lxml import etree, html

    # huge_tree: unclosed tags nest deeper than the ordinary limit of 256, beyond which the rest of the page is lost.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=True)
    # One class for every element: asking Python for the class of each costs a tenth of the whole reading.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=html.HtmlElement))
    try:
        usable = _CONTROL_REFERENCES.sub(" ", _CONTROLS.sub(" ", markup[:_MAX_CHARS]))
        tree = html.document_fromstring(usable.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None, HiddenText()
    _bound(tree, markup)
    _unnest(tree)
    _flatten_tables(tree)
    _split_crowded(tree)
    hidden = take_hidden(tree, markup)
    _drop_scripts(tree)
    _keep_inline_times(tree)
    _keep_repeated(tree)
    _unlink_headings(tree)
    return tree, hidden


def parse_remarks(tree: "HtmlElement") -> tuple[str, ...]:
    """What a reader must know: whether libxml2 gave the page up, as it does at 2,048 elements within one another."""
    from lxml import etree

    error = tree.getroottree().parser.error_log.last_error
    if error is None or error.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        return ()
    return ("not read to its end: its elements are nested more than 2,000 deep",)


def _drop_scripts(tree: "HtmlElement") -> None:
    """Without scripts and styles every later pass is cheaper; JSON-LD stays for the metadata."""
    from lxml import etree

    for script in list(tree.iter("script")):
        if "ld+json" not in (script.get("type") or ""):
            script.drop_tree()
    etree.strip_elements(tree, "style", "svg", "template", with_tail=False)


def drop_navigation(tree: "HtmlElement") -> None:
    """Menus, margins and controls never hold the main text; without them every reading of it is cheaper."""
    from lxml import etree

    etree.strip_elements(tree, *_NAVIGATION, with_tail=False)
    for element in tree.xpath(_WORDLESS):
        if element.getparent() is not None:
            element.drop_tree()


def _bound(tree: "HtmlElement", markup: str) -> None:
    """Cut what no real page has, so that the work stays limited: elements beyond a number, endless class lists."""
    if tree.xpath("count(descendant::*)") > _MAX_ELEMENTS:
        _cut_after(next(islice(tree.iter(), _MAX_ELEMENTS, None)))
    if _LONG_VALUE.search(markup) is None:
        return
    for element in tree.xpath(f"descendant::*[@*[string-length() > {_MAX_ATTRIBUTE_CHARS}]]"):
        for name in ("class", "id", "style"):
            if len(element.get(name) or "") > _MAX_ATTRIBUTE_CHARS:
                del element.attrib[name]


def _cut_after(element: "HtmlElement") -> None:
    for node in (element, *element.iterancestors()):
        parent = node.getparent()
        if parent is not None:
            del parent[parent.index(node) + 1 :]


def _unnest(tree: "HtmlElement") -> None:
    """Move elements nested deeper than on any real page up beside their ancestor, in the order of reading.

    Unclosed tags nest thousands deep, and every pass that asks for an element's words would read them anew.
    """
    body = tree.find("body")
    if body is None or not body.xpath(_DEEP):
        return
    for _ in range(_MAX_ELEMENTS // _MAX_DEPTH):
        deep = body.xpath(_DEEP)
        if not deep:
            return
        for element in reversed(deep):
            top = next(islice(element.iterancestors(), _MAX_DEPTH - 1, None))
            element.tail, top.tail = f"{element.tail or ''}{top.tail or ''}", None
            body.insert(body.index(top) + 1, element)


def _flatten_tables(tree: "HtmlElement") -> None:
    """Treat tables nested deeper than on any real page as plain containers.

    Trafilatura's work grows with the cube of the depth.
    """
    from lxml import etree

    if next(islice(tree.iter("table"), _MAX_TABLE_DEPTH, None), None) is None:
        return
    depth, deep = 0, []
    for event, element in etree.iterwalk(tree, events=("start", "end"), tag=_TABLE_PARTS):
        if element.tag == "table":
            depth += 1 if event == "start" else -1
        if event == "start" and depth > _MAX_TABLE_DEPTH:
            deep.append(element)
    for element in deep:
        element.tag = "div"


def _split_crowded(tree: "HtmlElement") -> None:
    """Part a paragraph with more links than on any real page; trafilatura's work grows with the square of them."""
    for element in tree.xpath(f"descendant::*[count(a) > {_MAX_LINKS_A_BLOCK}]"):
        children, last = list(element), element
        if element.getparent() is None or element.tag == "body":
            continue
        for start in range(_MAX_LINKS_A_BLOCK, len(children), _MAX_LINKS_A_BLOCK):
            part = element.makeelement(element.tag)
            part.extend(children[start : start + _MAX_LINKS_A_BLOCK])
            last.addnext(part)
            last = part


def _keep_inline_times(tree: "HtmlElement") -> None:
    """A date inside a sentence is part of it; trafilatura drops every `<time>`."""
    for element in tree.iter("time"):
        parent = element.getparent()
        if parent is not None and parent.tag in {"p", "li", "td", "dd", "span", "blockquote"}:
            around = len(text_of(parent)) - len(text_of(element))
            if around >= _SENTENCE_CHARS:
                element.tag = "span"


def _keep_repeated(tree: "HtmlElement") -> None:
    """A paragraph that says the same as the one before it is said twice; trafilatura takes it for its own mistake."""
    before, marks = "", 0
    for paragraph in tree.iter("p"):
        text = paragraph.text or ""
        marks = marks + 1 if text and text == before else 0
        if 0 < marks < _MOST_MARKS:
            paragraph.text = text + _MARK * marks
        before = text


def _unlink_headings(tree: "HtmlElement") -> None:
    """A heading that links to itself is a heading; trafilatura takes it for a link to another page."""
    for heading in tree.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        for link in heading.findall(".//a"):
            if (link.get("href") or "#").startswith("#"):
                link.tag = "span"


def head_and_foot_texts(tree: "HtmlElement") -> tuple[str, ...]:
    """What a page says in its head and foot beside its links: who publishes it, and what the site is for."""
    parts = tree.xpath(_OWN_PARTS)[:_MAX_OWN_PARTS]
    texts = (text for part in parts for text in part.xpath("descendant::text()[not(ancestor::a or ancestor::nav)]"))
    found = (" ".join(str(text).split()) for text in islice(texts, _MAX_TAGLINES))
    return tuple(dict.fromkeys(filter(None, found)))


def text_of(element: "_Element", joiner: str = "") -> str:
    """All text inside an element, as written."""
    return joiner.join(str(piece) for piece in element.itertext())
