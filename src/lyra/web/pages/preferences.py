"""The choice of language and colours."""

from starlette.requests import Request
from starlette.responses import Response

from lyra.translate import LANGUAGES
from lyra.web.guard import form_fields
from lyra.web.pages.parts import see
from lyra.web.preferences import LANGUAGE_COOKIE, THEME_COOKIE, THEMES

_YEAR_S = 31_536_000


async def choose(request: Request) -> Response:
    """Keep what was chosen in a cookie, and go back."""
    fields = await form_fields(request)
    answer = see(fields.get("back", "/"))
    for cookie, name, known in ((LANGUAGE_COOKIE, "language", LANGUAGES), (THEME_COOKIE, "theme", THEMES)):
        if fields.get(name) in known:
            answer.set_cookie(cookie, fields[name], max_age=_YEAR_S, httponly=True, samesite="strict", path="/")
    return answer
