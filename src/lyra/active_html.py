"""Whether an HTML file runs, loads or sends something by itself, to be asked of files that somebody else has written.

What browsers and this parser may read differently is taken for active: Lyra's own reports have nothing of it.
"""

import re
from html import unescape
from html.parser import HTMLParser

# The second line: what browsers parse by other rules inside, and what changes attributes later.
_ACTIVE_TAGS = frozenset(
    "script iframe frame frameset object embed applet base form link portal"
    " noscript noembed noframes xmp plaintext template animate set".split()
)
_LINK_TAGS = frozenset({"a", "area"})
_LINK_NAMES = frozenset({"href", "xlink:href"})
_LOADING_NAMES = frozenset("src srcset imagesrcset poster background data lowsrc dynsrc".split()) | _LINK_NAMES
_ADDRESS_NAMES = _LOADING_NAMES | {"action", "formaction"}
_STYLE_NAMES = frozenset(
    "style fill stroke filter mask clip-path cursor marker marker-start marker-mid marker-end".split()
)
_SCRIPT_SCHEMES = ("javascript:", "vbscript:", "data:text")
_REMOTE = re.compile(r"//|[a-z][a-z0-9+.-]*:")
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml)[;,]")
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_CSS_LOADS = re.compile(
    r"@import|expression\(|behavior\s*:|-moz-binding|(?<![\w-])(?:-webkit-)?(?:image-set|image|src)\("
)
_CSS_ADDRESS = re.compile(r"url\(\s*[\"']?([^\"')]*)")
# NUL hides UTF-16 without a mark, ESC and SO begin other alphabets in pages that declare no encoding.
_FOREIGN_CONTROL = re.compile(r"[\x00\x0e\x0f\x1b]")
_TAG_START = re.compile(r"<[a-zA-Z!?/]")
_UTF8 = frozenset({"utf-8", "utf8"})
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]*)", re.IGNORECASE)


def is_active_html(data: bytes) -> bool:
    """Whether the page has a script, or loads or sends something by itself, or is not written in UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return True
    if _FOREIGN_CONTROL.search(text):
        return True
    parser = _ActiveParts()
    parser.feed(text)
    parser.close()
    return parser.is_active or _loads_by_style("".join(parser.style_text))


class _ActiveParts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.is_active = False
        self.style_text: list[str] = []
        self._is_in_style = False

    def set_cdata_mode(self, elem: str, **_: bool) -> None:
        """Within SVG a browser reads tags and references in `style` and `script`: they are read as anywhere."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_active |= self._is_in_style or tag in _ACTIVE_TAGS or tag.startswith("animate")
        self.is_active |= any(_is_active(tag, name, value or "") for name, value in attrs)
        self.is_active |= tag == "meta" and _is_active_meta([(name, value or "") for name, value in attrs])
        self._is_in_style = tag == "style"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A slash ends no element of HTML."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.is_active |= self._is_in_style and tag != "style"
        self._is_in_style = False

    def handle_data(self, data: str) -> None:
        # A tag that this parser cannot read comes as text.
        self.is_active |= _TAG_START.search(data) is not None
        if self._is_in_style:
            self.style_text.append(data)

    def handle_entityref(self, name: str) -> None:
        self._add_sign(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add_sign(f"&#{name};")

    def _add_sign(self, reference: str) -> None:
        if self._is_in_style:
            self.style_text.append(unescape(reference))

    def handle_comment(self, data: str) -> None:
        self.is_active |= self._is_in_style or "<" in data or ">" in data

    def handle_decl(self, decl: str) -> None:
        self.is_active |= decl.split()[:1] not in (["doctype"], ["DOCTYPE"])

    def handle_pi(self, data: str) -> None:
        self.is_active = True

    def unknown_decl(self, data: str) -> None:
        self.is_active = True


def _is_active(tag: str, name: str, value: str) -> bool:
    if name.startswith("on") or name in ("ping", "srcdoc"):
        return True
    if name in _STYLE_NAMES and _loads_by_style(value):
        return True
    if name in _ADDRESS_NAMES and _plain(value).startswith(_SCRIPT_SCHEMES):
        return True
    if name not in _LOADING_NAMES or (tag in _LINK_TAGS and name in _LINK_NAMES):
        return False
    parts = value.split(",") if name.endswith("srcset") else (value,)
    return any(_is_remote(part) for part in parts)


def _is_active_meta(attrs: list[tuple[str, str]]) -> bool:
    """Whether it leads elsewhere, or declares another encoding than the one that was read."""
    if any(name == "http-equiv" and _plain(value) == "refresh" for name, value in attrs):
        return True
    declared = [value for name, value in attrs if name == "charset"]
    if any(name == "http-equiv" for name, _ in attrs):
        declared += [found for name, value in attrs if name == "content" for found in _CHARSET.findall(value)]
    return any(_plain(name) not in _UTF8 for name in declared)


def _plain(value: str) -> str:
    """The value as browsers compare it: without blanks and control characters, in lower case."""
    return "".join(sign for sign in value if sign > " " and not sign.isspace()).lower()


def _is_remote(address: str) -> bool:
    plain = _plain(address).replace("\\", "/")
    return _REMOTE.match(plain) is not None and _IMAGE.match(plain) is None


def _loads_by_style(css: str) -> bool:
    text = _CSS_ESCAPE.sub(_css_sign, css).lower()
    return _CSS_LOADS.search(text) is not None or any(_is_remote(found) for found in _CSS_ADDRESS.findall(text))


def _css_sign(found: re.Match[str]) -> str:
    if found[1] is None:
        return "" if found[2] == "\n" else found[2]
    code = int(found[1], 16)
    return chr(code) if 0 < code < 0x110000 else "\ufffd"
