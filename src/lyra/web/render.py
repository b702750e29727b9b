"""Pages from templates: everything that is filled in is escaped, and stripped of control characters."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from lyra.loopback import PERSON_KEY
from lyra.model.edge import PAGE_BREAK, PartRole
from lyra.model.person import OWNER
from lyra.model.report import QuotedEvidence
from lyra.redact.redactor import PLAIN
from lyra.report.links import deep_link
from lyra.report.wording import confidence_words, counts_words
from lyra.text import preview, strip_control_chars
from lyra.translate import LANGUAGES, language, say, translate
from lyra.urls import is_web_url
from lyra.web import words
from lyra.web.preferences import THEME_COOKIE, THEMES, chosen_theme

if TYPE_CHECKING:
    from jinja2 import Environment

FORM_SECRET_KEY = "lyra.form_secret"  # under which a guard puts into a request's scope what its forms must bring


def page(request: Request, template: str, status_code: int = 200, **values: Any) -> HTMLResponse:
    """A page of the dashboard for this request, in the language of now.

    Addresses are whole for whoever owns the task that it shows; others see none of their secrets, and no link with one.
    """
    person = request.scope.get(PERSON_KEY, OWNER)
    task = values.get("task")
    own = {"is_own": person.sees_everything or (task is not None and person.may_change(task.owner))}
    return HTMLResponse(
        render(
            template,
            path=request.url.path,
            here=_relative(request),
            theme=chosen_theme(request.cookies.get(THEME_COOKIE)),
            form_secret=request.scope.get(FORM_SECRET_KEY, ""),
            person=person,
            **(own | values),
        ),
        status_code,
    )


def render(template: str, **values: Any) -> str:
    """The filled-in template; what a template of its own needs and a page has besides is given by `page`."""
    filled = {"theme": "auto", "path": "", "here": "/", "form_secret": "", "person": OWNER, "is_own": True, **values}
    return _environment().get_template(template).render(language=language(), **filled)


def _relative(request: Request) -> str:
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context

    environment = Environment(
        loader=PackageLoader("lyra.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalize,
    )
    environment.globals |= {
        "say": say,
        "translate": translate,
        "words": words,
        "plural": words.plural,
        "languages": LANGUAGES,
        "themes": THEMES,
        "deep_link": deep_link,
        "confidence_words": confidence_words,
        "counts_words": counts_words,
    }
    environment.filters |= {
        "short": preview,
        "shown": pass_context(_shown),
        "web_link": pass_context(_web_link),
        "day": _day,
        "moment": _moment,
        "probability": lambda value: f"{value:.2f}",
        "percent": lambda value: f"{100 * value:.0f} %",
        "number": _number,
        "pieces": _pieces,
    }
    return environment


def _finalize(value: Any) -> Any:
    """Text of pages must not turn the reading direction of ours; markup is our own."""
    if value is None:
        return ""
    if isinstance(value, Markup):
        return value
    return strip_control_chars(value) if isinstance(value, str) else value


def _shown(context: Mapping[str, Any], text: str) -> str:
    """A title, or an address: without its secrets where the task is another's."""
    return text if context["is_own"] else PLAIN.address(text)


def _web_link(context: Mapping[str, Any], url: str) -> str:
    """An address that may be followed: of the web, nothing that a browser would run, no other's secret; else none."""
    return url if is_web_url(url) and (context["is_own"] or PLAIN.url(url) == url) else ""


def _day(value: datetime | str | None) -> str:
    if value is None:
        return ""
    return value[:10] if isinstance(value, str) else f"{value:%Y-%m-%d}"


def _moment(value: datetime | str | None) -> str:
    """Date and time (UTC) to the minute."""
    if value is None:
        return ""
    return value[:16].replace("T", " ") if isinstance(value, str) else f"{value:%Y-%m-%d %H:%M}"


def _number(value: int) -> str:
    return f"{value:,}"


def _pieces(quoted: QuotedEvidence, limit: int) -> list[tuple[bool, str]]:
    """The words that were read, in pieces: whether they decided, and the piece; about `limit` characters in all."""
    judged = quoted.judged_text
    if judged is None:
        return [(True, preview(quoted.quote, limit))]
    ends = [*(part.start for part in judged.parts[1:]), len(judged.text)]
    pieces: list[tuple[bool, str]] = []
    for part, end in zip(judged.parts, ends, strict=True):
        text = judged.shown(part) + judged.text[part.end : end].replace(PAGE_BREAK, " ")
        pieces.append((part.role is PartRole.DECIDING, text[:limit] + ("…" if len(text) > limit else "")))
        limit -= len(text)
        if limit <= 0:
            break
    return pieces
