"""An archived page as inert markup: nothing in it runs, loads, submits or leads anywhere."""

from selectolax.lexbor import LexborHTMLParser

# What runs, loads, or asks a name server; forms go with their frames, their words stay.
_REMOVED = [
    "script",
    "noscript",
    "template",
    "link",
    "meta",
    "base",
    "iframe",
    "frame",
    "frameset",
    "object",
    "embed",
    "applet",
    "portal",
    "audio",
    "video",
    "source",
    "track",
]
_KEPT_ATTRIBUTES = frozenset(
    "class id style lang dir title alt colspan rowspan scope headers start reversed value datetime cite "
    "width height align valign bgcolor color border cellpadding cellspacing open".split()
)


def inert_html(text: str) -> str:
    """The markup with its words, its structure and its own styles, and without everything else."""
    tree = LexborHTMLParser(text)
    tree.strip_tags(_REMOVED, recursive=True)
    for node in tree.css("*"):
        for name in list(node.attributes):
            if name.lower() not in _KEPT_ATTRIBUTES:
                del node.attrs[name]
    return tree.html or ""
