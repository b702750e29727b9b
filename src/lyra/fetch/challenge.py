"""Recognises the page that stands in front of a page: a challenge, a captcha, a robot check. Pure.

What counts is structure (an element that only such pages have) on a page with little to read, never the mere
mention of a word: articles write about captchas, and contact forms carry their widgets.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lyra.fetch.markup import Outline, Tag, outline

_READ_BYTES = 524_288
# The longest interstitial seen (Google's "unusual traffic" page) has 159 words; the shortest articles have more.
_WALL_WORDS = 250
_NOTICE_WORDS = 60

# Tags that occur on interstitials only, by who serves them: tag name, attribute, what its value contains.
_WALLS = (
    (
        "DuckDuckGo",
        (
            ("*", "class", r"\banomaly-modal__"),
            ("form", "action", r"duckduckgo\.com/anomaly"),
            ("script", "src", r"anomaly\.js"),
        ),
    ),
    ("Google", (("form", "id", r"^captcha-form$"), ("iframe", "src", r"/httpservice/retry/enablejs"))),
    (
        "Cloudflare",
        (
            ("form", "id", r"^challenge-form$"),
            ("*", "id", r"^(challenge-running|challenge-error-text|cf-please-wait)$"),
            ("*", "class", r"\bcf-browser-verification\b"),
            ("script", "src", r"challenge-platform.*orchestrate"),
            ("iframe", "src", r"challenges\.cloudflare\.com"),
        ),
    ),
    ("Yandex", (("form", "action", r"/checkcaptcha"), ("*", "class", r"\bcheckboxcaptcha\b"))),
    ("Baidu", (("*", "class", r"\bpassmod_dialog-wrapper\b"),)),
    ("Amazon", (("form", "action", r"/errors/validatecaptcha"),)),
    ("DataDome", (("iframe", "src", r"captcha-delivery\.com|datadome\.co/captcha"),)),
    ("PerimeterX", (("*", "id", r"^px-captcha$"),)),
    ("Imperva", (("iframe", "src", r"_incapsula_resource"),)),
    ("Radware", (("form", "action", r"perfdrive\.com"), ("iframe", "src", r"perfdrive\.com"))),
)
# Widgets stand on ordinary forms too: they count only on a page that asks for nothing else.
_WIDGETS = (
    ("*", "class", r"\b(g-recaptcha|h-captcha|cf-turnstile)\b"),
    ("input", "name", r"^cf-turnstile-response$"),
    ("iframe", "src", r"hcaptcha\.com|/recaptcha/"),
)
_TYPED_IN = frozenset({"", "text", "email", "password", "search", "tel"})
_TITLES = re.compile(
    r"^(just a moment\.\.\.|attention required! \| cloudflare|please wait\.\.\. \| cloudflare|ddos-guard"
    r"|are you (?:not )?a robot\?|access to this page has been denied.*|pardon our interruption.*|robot check"
    r"|security check(?: required)?|human verification|bot verification|verify(?:ing)? you are (?:a )?human.*"
    r"|百度安全验证|ロボットによる?確認|セキュリティチェック)$"
)
_NOTICES = re.compile(
    r"verify(?:ing)? (?:that )?you(?:'|’)?(?:re| are) (?:a )?(?:human|not a robot)|checking your browser"
    r"|checking if the site connection is secure"
    r"|(?:confirm|prove) (?:that )?you(?:'|’)?(?:re| are) (?:a human|not a robot)"
    r"|unusual (?:traffic|activity|download activity) from your|automated access detected"
    r"|ロボットではない(?:こと|です)|人間であることを確認|通常と異なるトラフィック|ブラウザを確認しています"
)
_HEADERS = (
    ("Cloudflare", "cf-mitigated", ("challenge",)),
    ("AWS WAF", "x-amzn-waf-action", ("challenge", "captcha")),
)


@dataclass(frozen=True, slots=True)
class Challenge:
    """Who stands in the way, and by what it was recognised."""

    vendor: str
    sign: str


def recognise(status_code: int, headers: Mapping[str, str], body: bytes) -> Challenge | None:
    """The challenge that an answer is, or None; header names are lower-case."""
    for vendor, name, values in _HEADERS:
        if headers.get(name, "").strip().lower() in values:
            return Challenge(vendor, f"header {name}")
    if b"<" not in body[:_READ_BYTES]:
        return None
    page = outline(body[:_READ_BYTES])
    words = _count_words(page.text)
    if words > _WALL_WORDS and status_code < 400:
        return None
    return _by_structure(page) or _by_words(page, words)


def _by_structure(page: Outline) -> Challenge | None:
    for vendor, signs in _WALLS:
        if _has_any(page.tags, signs):
            return Challenge(vendor, "markup of its challenge page")
    if "_cf_chl_opt" in page.scripts:
        return Challenge("Cloudflare", "script of its challenge page")
    return None


def _by_words(page: Outline, words: int) -> Challenge | None:
    if words > _WALL_WORDS:
        return None
    has_article = any(tag.name == "article" for tag in page.tags)
    if _TITLES.match(page.title) and not has_article:
        return Challenge("an unnamed guard", f"title {page.title[:60]!r}")
    notice = _NOTICES.search(f"{page.title} {page.text}")
    asks_nothing_else = words <= _NOTICE_WORDS and not any(map(_is_typed_in, page.tags))
    if _has_any(page.tags, _WIDGETS) and (notice or asks_nothing_else):
        return Challenge("a captcha", "captcha widget on a page without content")
    if notice and words <= _NOTICE_WORDS and not has_article:
        return Challenge("an unnamed guard", f"words {notice.group()!r}")
    return None


def _has_any(tags: Iterable[Tag], signs: tuple[tuple[str, str, str], ...]) -> bool:
    return any(
        re.search(pattern, tag.attributes[attribute], re.IGNORECASE)
        for tag in tags
        for name, attribute, pattern in signs
        if name in ("*", tag.name) and attribute in tag.attributes
    )


def _is_typed_in(tag: Tag) -> bool:
    """A field that a person fills in, other than the captcha's own."""
    if "captcha" in tag.attributes.get("name", ""):
        return False
    is_field = tag.name == "input" and tag.attributes.get("type", "").lower() in _TYPED_IN
    return is_field or tag.name in ("textarea", "select")


def _count_words(text: str) -> int:
    """Words by spaces; two characters of Chinese or Japanese count as one."""
    cjk = len(re.findall("[\u3040-\u30ff\u4e00-\u9fff]", text))
    return len(text.split()) + cjk // 2
