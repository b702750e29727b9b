"""Recognises pages that come in place of the requested one: a challenge, a captcha, a log-in, a refusal. Pure.

What counts is structure (an element that only such pages have) on a page with little to read, never the mere
mention of a word: articles write about captchas, and contact forms carry their widgets.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lyra.fetch import challenge_patterns as patterns
from lyra.fetch.challenge_words import challenge_words
from lyra.fetch.markup import Outline, Tag, outline
from lyra.fetch.wall_subjects import CHECK, subjects

READ_BYTES = 524_288
# The longest interstitial seen (Google's "unusual traffic" page) has 159 words; the shortest articles have more.
_INTERSTITIAL_WORDS = 250
_REFUSAL_WORDS = 150
_NOTICE_WORDS = 60
_EMPTY_WORDS = 12
# A page that only tests its visitor brings at most a library; a page that scripts fill brings many.
_GUARD_SCRIPTS = 2
_NAME_WORDS = 3
# Pages about walls in general are longer, and link to others.
_SUBJECT_WORDS = 80
_MOST_LINKS = 4
_TYPED_IN = frozenset({"", "text", "email", "password", "search", "tel"})


@dataclass(frozen=True, slots=True)
class Challenge:
    """What kind of page it is (`cloudflare`, `captcha`, `login`, `block`, …), and the sign it was recognised by."""

    name: str
    sign: str


def recognise(status_code: int, headers: Mapping[str, str], body: bytes) -> Challenge | None:
    """The challenge that an answer is, or None; header names are lower-case."""
    announced = by_headers(headers)
    if announced is not None or b"<" not in body[:READ_BYTES]:
        return announced
    return of_page(outline(body[:READ_BYTES], headers.get("content-type")), status_code)


def by_headers(headers: Mapping[str, str]) -> Challenge | None:
    """The challenge that an answer's headers announce."""
    for name, header, values in patterns.HEADERS:
        if headers.get(header, "").strip().lower() in values:
            return Challenge(name, f"header {header}")
    return None


def of_page(page: Outline, status_code: int = 200) -> Challenge | None:
    """The challenge that a page is; what is read counts, and beyond a few paragraphs it is content."""
    words = count_words(page.text)
    if words > _INTERSTITIAL_WORDS:
        return _by_structure(page, words) if status_code >= 400 else _by_login(page, words)
    return (
        _by_structure(page, words)
        or _by_scripts(page, words)
        or _by_words(page, words)
        or _by_login(page, words)
        or _by_refusal(page, words, status_code)
        or _by_subjects(page, words)
    )


def is_script_gate(name: str | None) -> bool:
    """Whether a browser that runs scripts may pass it without a person."""
    return name in patterns.SCRIPT_GATES


def is_refusal(name: str | None) -> bool:
    """Whether the page only refuses, so that a person cannot do anything on it either."""
    return name == patterns.REFUSAL


def count_words(text: str) -> int:
    """Words by spaces; two characters of Chinese or Japanese count as one."""
    cjk = len(re.findall("[\u3040-\u30ff\u4e00-\u9fff]", text))
    return len(text.split()) + cjk // 2


def _by_structure(page: Outline, words: int) -> Challenge | None:
    for name, signs in patterns.INTERSTITIAL_TAGS:
        if (tag := _first(page.tags, signs)) is not None:
            return Challenge(name, f"markup of its page: {tag}")
    for name, script in patterns.INLINE_SCRIPTS:
        if script.search(page.scripts):
            return Challenge(name, "script of its page")
    if words <= _EMPTY_WORDS:
        for name, sign in patterns.ONLY_SCRIPTS:
            if _first(page.tags, (sign,)) is not None:
                return Challenge(name, "its script on a page without content")
    if not words and (tag := _first(page.tags, patterns.WORDLESS_SCRIPTS)) is not None:
        return Challenge("cloudflare", f"its script on a page without a word: {tag}")
    return None


def _by_scripts(page: Outline, words: int) -> Challenge | None:
    """A page with nothing to read that only tests whether scripts run; one that scripts fill has an empty element."""
    if words > _NOTICE_WORDS or count_words(page.prose) > _EMPTY_WORDS or page.hollow:
        return None
    if sum(tag.name == "script" and "src" in tag.attributes for tag in page.tags) > _GUARD_SCRIPTS:
        return None
    if (plea := challenge_words().wants_both.search(page.text)) is not None:
        return Challenge("javascript", f"words {plea.group()!r} on a page without content")
    if patterns.IS_CHALLENGE.search(page.scripts) and patterns.HAS_TASK.search(page.scripts):
        return Challenge("javascript", "a page without content that sets its visitor a task")
    if patterns.SETS_COOKIE.search(page.scripts) and patterns.LOADS_AGAIN.search(page.scripts):
        return Challenge("javascript", "a page without content that sets a cookie and loads again")
    fields = [tag.attributes.get("type", "").lower() for tag in page.tags if tag.name == "input"]
    if fields and set(fields) == {"hidden"} and patterns.SENDS_FORM.search(page.scripts):
        return Challenge("javascript", "a page without content that sends a form by itself")
    return None


def _by_words(page: Outline, words: int) -> Challenge | None:
    if _has_article(page):
        return None
    if (name := _named_by_title(page.title)) is not None:
        return Challenge(name, f"title {page.title[:60]!r}")
    if challenge_words().waiting.fullmatch(page.text):
        return Challenge("javascript", f"words {page.text[:60]!r} and nothing else")
    age = challenge_words().age_words.search(page.text) if words <= _NOTICE_WORDS else None
    if age is not None:
        return Challenge("consent", f"words {age.group()!r}")
    notice = challenge_words().notices.search(f"{page.title} {page.text}")
    asks_nothing_else = words <= _NOTICE_WORDS and not any(map(_is_typed_in, page.tags))
    for name, signs in patterns.WIDGETS:
        if (notice or asks_nothing_else) and (tag := _first(page.tags, signs)) is not None:
            return Challenge(name, f"captcha on a page without content: {tag}")
    if notice and words <= _NOTICE_WORDS:
        return Challenge("captcha", f"words {notice.group()!r}")
    return None


def _named_by_title(title: str) -> str | None:
    for name, known in patterns.TITLES:
        if known.match(title):
            return name
    if challenge_words().captcha_titles.fullmatch(title):
        return "captcha"
    return "consent" if challenge_words().consent_titles.fullmatch(title) else None


def _by_login(page: Outline, words: int) -> Challenge | None:
    """A form for a password, or the demand to sign in, where nothing else is to be read."""
    if _has_article(page) or words > 2 * _INTERSTITIAL_WORDS:
        return None
    is_titled = challenge_words().login_titles.fullmatch(page.title) is not None
    asks_password = any(
        tag.name == "input" and tag.attributes.get("type", "").lower() == "password" for tag in page.tags
    )
    if asks_password and (is_titled or words <= _NOTICE_WORDS):
        return Challenge("login", "a form for a password on a page without content")
    if is_titled and words <= _EMPTY_WORDS:
        return Challenge("login", f"title {page.title[:60]!r} on a page without content")
    demand = challenge_words().login_words.search(page.text) if words <= _NOTICE_WORDS else None
    if demand is not None and (is_titled or words <= _NOTICE_WORDS // 2):
        return Challenge("login", f"words {demand.group()!r}")
    return None


def _by_refusal(page: Outline, words: int, status_code: int) -> Challenge | None:
    if _has_article(page) or words > _REFUSAL_WORDS:
        return None
    refusal = challenge_words().refusals.search(page.text)
    if "errors.edgesuite.net" in page.text and refusal is not None:
        return Challenge("akamai", f"words {refusal.group()!r}")
    if _is_refusal_title(page.title):
        return Challenge(patterns.REFUSAL, f"title {page.title[:60]!r}")
    if words <= _EMPTY_WORDS and _is_refusal_title(page.text):
        return Challenge(patterns.REFUSAL, f"words {page.text[:60]!r} and nothing else")
    if refusal is not None and (status_code >= 400 or words <= 2 * _NOTICE_WORDS):
        return Challenge(patterns.REFUSAL, f"words {refusal.group()!r}")
    return None


def _by_subjects(page: Outline, words: int) -> Challenge | None:
    """A short page that speaks of its visitor, a check or a refusal and its reason, in words that nobody has listed."""
    if _has_article(page) or words > _SUBJECT_WORDS or any(map(_is_typed_in, page.tags)):
        return None
    if sum(tag.name == "a" for tag in page.tags) > _MOST_LINKS:
        return None
    found = subjects(f"{page.title} {page.text}", words)
    if not found:
        return None
    name = "javascript" if CHECK in found else patterns.REFUSAL
    return Challenge(name, f"a short page about {', '.join(sorted(found))}")


def _is_refusal_title(title: str) -> bool:
    """A refusal, or parts that refuse and at most one more, as short as the name of a site."""
    if patterns.NUMBER_TITLES.fullmatch(title):
        return True
    after_number = patterns.REFUSAL_NUMBER.sub("", title, count=1)
    if challenge_words().refusal_titles.fullmatch(after_number.removesuffix(".").removesuffix("!")):
        return True
    parts = [part for part in patterns.TITLE_BREAK.split(title) if part]
    others = [part for part in parts if not challenge_words().refusal_parts.fullmatch(part)]
    return len(others) < len(parts) and len(others) <= 1 and all(len(part.split()) <= _NAME_WORDS for part in others)


def _has_article(page: Outline) -> bool:
    return any(tag.name == "article" for tag in page.tags)


def _first(tags: Iterable[Tag], signs: tuple[patterns.Sign, ...]) -> str | None:
    """The first tag that bears one of the signs, as it is shown to a reader."""
    for tag in (one for one in tags if one.attributes):
        for name, attribute, pattern in signs:
            if name in ("*", tag.name) and attribute in tag.attributes:
                value = tag.attributes[attribute]
                if re.search(pattern, value, re.IGNORECASE):
                    return f"<{tag.name} {attribute}={value[:80]!r}>"
    return None


def _is_typed_in(tag: Tag) -> bool:
    """A field that a person fills in, other than the captcha's own."""
    if "captcha" in tag.attributes.get("name", ""):
        return False
    is_field = tag.name == "input" and tag.attributes.get("type", "").lower() in _TYPED_IN
    return is_field or tag.name in ("textarea", "select")
