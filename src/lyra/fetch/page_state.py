"""The state of a page: content, an empty shell, a teaser, an error with status 200, or a challenge. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lyra.fetch.challenge import READ_BYTES, Challenge, by_headers, count_words, of_page
from lyra.fetch.markup import Outline, outline
from lyra.model.page import PageState
from lyra.word_lists import word_lists

# A shell says little besides its own plea; a teaser seldom more than three paragraphs; an error page less.
_SHELL_WORDS = 60
_BARE_WORDS = 15
_FRAMED_WORDS = 200  # a banner, a title and a date around an empty element, where the page itself asks for scripts
_TEASER_WORDS = 700
_MISSING_WORDS = 250


@dataclass(frozen=True, slots=True)
class StateFinding:
    """The state of a page, and the evidence for it."""

    state: PageState
    evidence: str = ""
    challenge: Challenge | None = None


_SHELLS = re.compile(r"^(root|app|__next|__nuxt|__layout|app-root|main-app|react-root|svelte|application|q-app)$", re.I)
_PAYWALL_TAGS = re.compile(r"\b(paywall|pay-wall|regwall|subscriber-only|piano-inline|tp-modal|meteredContent)", re.I)
_NOT_FREE = re.compile(r"\"isaccessibleforfree\"\s*:\s*\"?false", re.I)
_FREE = re.compile(r"\"isaccessibleforfree\"\s*:\s*\"?true", re.I)


def _words(name: str) -> re.Pattern[str]:
    """What pages of a state say (`words/page_states.*.yaml`), on lower-case text with single spaces."""
    return word_lists("lyra.fetch", "page_states", "en", "ja", "zh").pattern(name)


def detect_state(status_code: int, headers: Mapping[str, str], body: bytes) -> StateFinding:
    """The state of an HTML answer; header names are lower-case. Anything without markup counts as content."""
    announced = by_headers(headers)
    if announced is not None:
        return StateFinding(PageState.CHALLENGE, announced.sign, announced)
    if b"<" not in body[:READ_BYTES]:
        return StateFinding(PageState.CONTENT if body.strip() else PageState.EMPTY)
    page = outline(body[:READ_BYTES])
    found = of_page(page, status_code)
    if found is not None:
        return StateFinding(PageState.CHALLENGE, found.sign, found)
    return state_of(page, is_whole=len(body) <= READ_BYTES)


def state_of(page: Outline, *, is_whole: bool = True) -> StateFinding:
    """The state of a page that is no challenge."""
    words = count_words(page.text)
    if words <= _MISSING_WORDS and (missing := _words("missing").search(page.title)) is not None:
        return StateFinding(PageState.SOFT_404, f"title {missing.group()!r}")
    if not is_whole:
        return StateFinding(PageState.CONTENT)
    return _teaser(page, words) or _shell(page, words) or StateFinding(PageState.CONTENT)


def _teaser(page: Outline, words: int) -> StateFinding | None:
    if words > _TEASER_WORDS:
        return None
    is_free = _FREE.search(page.scripts) is not None and _NOT_FREE.search(page.scripts) is None
    said = _words("paywall").search(page.text)
    if said is not None and not is_free:
        return StateFinding(PageState.PAYWALL, f"words {said.group()!r}")
    has_wall = any(_PAYWALL_TAGS.search(tag.attributes.get("class", "")) for tag in page.tags)
    if has_wall and _NOT_FREE.search(page.scripts):
        return StateFinding(PageState.PAYWALL, "marked as not accessible for free, behind a paywall element")
    return None


def _shell(page: Outline, words: int) -> StateFinding | None:
    has_scripts = any(tag.name == "script" for tag in page.tags)
    plea = _words("script_plea").search(page.text) if words <= _SHELL_WORDS else None
    if plea is not None:
        return StateFinding(PageState.NEEDS_JAVASCRIPT, f"words {plea.group()!r}")
    shell = next((tag.attributes["id"] for tag in page.tags if _SHELLS.match(tag.attributes.get("id", ""))), None)
    hollow = next((one for one in page.hollow if _SHELLS.match(one)), None)
    most = _FRAMED_WORDS if _words("script_plea").search(page.text) else _SHELL_WORDS
    if hollow is not None and has_scripts and count_words(page.prose) <= most:
        return StateFinding(PageState.NEEDS_JAVASCRIPT, f"an empty element {hollow!r} that a script fills")
    if words <= _BARE_WORDS and has_scripts and shell is not None:
        return StateFinding(PageState.NEEDS_JAVASCRIPT, f"an empty element {shell!r} that a script fills")
    if words == 0 and not page.title:
        return (
            StateFinding(PageState.NEEDS_JAVASCRIPT, "scripts and no words")
            if has_scripts
            else StateFinding(PageState.EMPTY)
        )
    return StateFinding(PageState.EMPTY, "no words") if words == 0 and not _has_media(page) else None


def _has_media(page: Outline) -> bool:
    return any(tag.name in ("img", "video", "object", "embed", "iframe", "frame") for tag in page.tags)
