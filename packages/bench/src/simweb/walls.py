"""What stands before pages: a puzzle, a log-in form, a price, a question about cookies, a demand for JavaScript."""

from __future__ import annotations

from html import escape
from typing import Literal, TypeGuard, get_args
from urllib.parse import quote

from simweb.doors import login_form, verify_box
from simweb.messages import Request, Response

Wall = Literal["captcha", "login_wall", "paywall", "consent", "script_gate"]

LOGIN_PATH = "/login"


def is_wall(kind: str) -> TypeGuard[Wall]:
    return kind in get_args(Wall)


def wall(kind: Wall, request: Request) -> Response:
    """The wall as an ordinary site builds it."""
    match kind:
        case "captcha":
            return Response.html(_page("Security check", _CAPTCHA.format(box=verify_box(kind, request))), 403)
        case "login_wall":
            return login(request)
        case "paywall":
            return Response.html(_page("For subscribers", PAYWALL))
        case "consent":
            return Response.html(_page("Before you continue", _CONSENT.format(next=escape(request.target))))
        case "script_gate":
            return Response.html(_page(request.host, _SCRIPT_GATE))


def login(request: Request) -> Response:
    """The log-in form, to which every other address leads."""
    if request.path != LOGIN_PATH:
        return Response.redirect(f"https://{request.host}{LOGIN_PATH}?next={quote(request.target, safe='')}", 302)
    return Response.html(_page("Sign in", _LOGIN.format(form=login_form(request.parameters().get("next", "/")))))


def _page(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<title>{escape(title)}</title><meta name="robots" content="noindex"></head>\n<body>{body}</body></html>\n'
    )


PAYWALL = (
    '<div class="paywall-overlay" data-testid="paywall"><h2>Subscribe to continue reading</h2>'
    "<p>This article is for subscribers only. Already a subscriber? "
    f'<a href="{LOGIN_PATH}">Sign in</a>.</p><button>See plans from 4.90 a month</button></div>'
)
_CAPTCHA = (
    '<main><h1>Please verify you are a human</h1><form id="captcha-form" action="/verify" method="post">'
    '<div class="g-recaptcha" data-sitekey="simulated-site-key"></div>'
    '<script src="https://www.google.com/recaptcha/api.js" async defer></script>'
    "<noscript>Please enable JavaScript to solve the CAPTCHA.</noscript>"
    "<p>Complete the CAPTCHA below to show that you are not a robot.</p>"
    "{box}</form></main>"
)
_LOGIN = '<main><h1>Sign in to continue</h1>{form}<p>No account yet? <a href="/register">Register</a>.</p></main>'
_CONSENT = (
    '<div role="dialog" aria-modal="true" class="consent-wall"><h1>We value your privacy</h1>'
    "<p>We and our 812 partners store and access information on your device. You can accept or manage your choices "
    'before you continue to the site.</p><form action="/consent" method="post">'
    '<input type="hidden" name="next" value="{next}"><button name="choice" value="all">'
    'Accept all</button> <button name="choice" value="none">Reject all</button></form></div>'
)
_SCRIPT_GATE = (
    '<noscript><div id="no-js"><h1>JavaScript is required</h1><p>Please enable JavaScript and reload this page.</p>'
    '</div></noscript><div id="root"></div>'
    "<script>if (!/(^|; )js=1/.test(document.cookie)) { document.cookie = 'js=1; path=/'; location.reload(); }</script>"
)
