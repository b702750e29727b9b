"""Language and colours: by the browser's own settings, or as chosen on the page and kept in a cookie."""

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from lyra.translate import LANGUAGES, Language, in_language

LANGUAGE_COOKIE = "lyra_language"
THEME_COOKIE = "lyra_theme"
THEMES = ("auto", "light", "dark")
_MOST_RANGES = 20


class LanguageChoice:
    """Says every page in the language of its reader."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        cookies = cookie_parser(headers.get("cookie", ""))
        with in_language(chosen_language(cookies.get(LANGUAGE_COOKIE), headers.get("accept-language", ""))):
            await self._app(scope, receive, send)


def chosen_language(cookie: str | None, accepted: str) -> Language:
    """That of the cookie, else the browser's first one that Lyra speaks, else English."""
    for name in (cookie, *_ranges(accepted)):
        for known in LANGUAGES:
            if name is not None and name.split("-")[0].lower() == known:
                return known
    return "en"


def chosen_theme(cookie: str | None) -> str:
    """`auto` follows the system."""
    return cookie if cookie in THEMES else "auto"


def _ranges(accepted: str) -> list[str]:
    """The languages of an Accept-Language header, the best first; those with a weight of 0 are left out."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.split(",")[:_MOST_RANGES]:
        name, _, weight = part.partition(";")
        try:
            value = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            value = 0.0
        if value > 0:
            weighted.append((-value, name.strip()))
    return [name for _, name in sorted(weighted, key=lambda one: one[0])]
