"""How a wall opens: the form that a person fills in, the script that a browser runs, and the cookie either leaves.

| wall | cookie | given by |
|---|---|---|
| `login_wall`, `paywall` | `session` | POST /session with any `email` and the `password` of this module |
| `captcha` | `human` | POST /verify with `human` |
| `challenge` | `cf_clearance` | POST /verify with `human`; or the page's script, as the fault's `asks` says |
| `consent` | `consent` | POST /consent (on consent.google.com /save) |
| `script_gate` | `js` | the page's own script |

A cookie is good for one registrable domain until `expire` is called; `cookie` makes one without the form.
"""

from __future__ import annotations

import hashlib
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Literal
from urllib.parse import urlsplit

from simweb.domains import registrable
from simweb.messages import Request, Response

Asks = Literal["person", "script", "window", "pointer"]

PASSWORD = "simulated"
VERIFY_PATH, SESSION_PATH, CONSENT_PATH = "/verify", "/session", "/consent"

_COOKIES = {
    "captcha": "human",
    "challenge": "cf_clearance",
    "login_wall": "session",
    "paywall": "session",
    "consent": "consent",
    "script_gate": "js",
}
_SCRIPT_DELAY_MS = 300
_ATTRIBUTES = "Path=/; Max-Age=86400; SameSite=Lax"


class Doors:
    """Knows which cookies open what; those given before `expire` open nothing any more."""

    def __init__(self) -> None:
        self._round = 0

    def expire(self) -> None:
        """Let every session, clearance and solved puzzle lapse."""
        self._round += 1

    def cookie(self, kind: str, host: str) -> tuple[str, str]:
        """Name and value of the cookie that opens walls of this kind on the host's registrable domain."""
        name = _COOKIES[kind]
        if name == "js":
            return name, "1"
        drawn = f"{name} {registrable(host)} {self._round}"
        return name, hashlib.sha256(drawn.encode()).hexdigest()[:24]

    def opens(self, kind: str, request: Request) -> bool:
        """Whether the request carries what opens such a wall."""
        if kind not in _COOKIES:
            return False
        name, value = self.cookie(kind, request.host)
        return _cookies(request).get(name) == value

    def enter(self, request: Request) -> Response | None:
        """The answer to a filled-in form; None when the request is no such form."""
        if request.method != "POST":
            return None
        given = request.parameters()
        onward = _onward(given.get("next") or given.get("continue") or "/")
        match request.path:
            case "/session":
                is_member = bool(given.get("email")) and given.get("password") == PASSWORD
                return self._pass("login_wall", request, onward) if is_member else _wrong_password(onward)
            case "/verify":
                kind = "challenge" if given.get("wall") == "challenge" else "captcha"
                return self._pass(kind, request, onward) if given.get("human") else Response.redirect(onward, 303)
            case "/consent" | "/save":
                return self._pass("consent", request, onward)
        return None

    def add_to(self, response: Response, kind: str, asks: Asks, request: Request) -> Response:
        """The wall with its way through, unless the page has one already."""
        if f'action="{VERIFY_PATH}'.encode() in response.body and asks == "person":
            return response
        way = verify_form(kind, request) if asks == "person" else self._script(kind, request, asks)
        return response.with_body(response.body.replace(b"</body>", f"{way}</body>".encode(), 1))

    def _pass(self, kind: str, request: Request, onward: str) -> Response:
        name, value = self.cookie(kind, request.host)
        opened = f"{name}={value}; {_ATTRIBUTES}; Domain={registrable(request.host)}"
        return Response.redirect(onward, 303).with_headers(set_cookie=opened)

    def _script(self, kind: str, request: Request, asks: Asks) -> str:
        """What a browser runs: `window` looks first whether a person can see it, `pointer` waits for a hand."""
        name, value = self.cookie(kind, request.host)
        opened = f'document.cookie = "{name}={value}; {_ATTRIBUTES}"; location.reload();'
        if asks == "pointer":
            return f"<script>addEventListener('mousemove', function () {{ {opened} }}, {{once: true}});</script>"
        seen = "!/Headless/.test(navigator.userAgent) && !navigator.webdriver" if asks == "window" else "true"
        return f"<script>setTimeout(function () {{ if ({seen}) {{ {opened} }} }}, {_SCRIPT_DELAY_MS});</script>"


def verify_form(kind: str, request: Request) -> str:
    """A form with nothing but the box that a person ticks."""
    return f'<form class="verify" action="{VERIFY_PATH}" method="post">{verify_box(kind, request)}</form>'


def verify_box(kind: str, request: Request) -> str:
    """What stands in such a form; it leads back to where the visitor wanted to go."""
    asked = request.parameters()
    onward = asked.get("continue") or asked.get("next") or request.target
    return (
        f'<input type="hidden" name="wall" value="{kind}"><input type="hidden" name="next" value="{escape(onward)}">'
        '<label><input type="checkbox" name="human" required> I am not a robot</label> <button>Continue</button>'
    )


def _onward(address: str) -> str:
    """Where to go after the form: an address of the web, or a path of the same host."""
    is_whole = urlsplit(address).scheme in ("http", "https")
    return address if is_whole or address.startswith("/") else "/"


def _cookies(request: Request) -> dict[str, str]:
    jar = SimpleCookie()
    try:
        jar.load(request.headers.get("cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def _wrong_password(onward: str) -> Response:
    return Response.html(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head>\n<body><main>'
        f'<h1>Sign in to continue</h1><p class="error">Email or password are not right.</p>{login_form(onward)}'
        "</main></body></html>\n",
        401,
    )


def login_form(onward: str) -> str:
    """Any address and the password `simulated`, which the page tells to people."""
    return (
        f'<form id="login" action="{SESSION_PATH}" method="post">'
        f'<input type="hidden" name="next" value="{escape(onward)}">'
        '<label>Email <input type="email" name="email" autocomplete="username"></label>'
        '<label>Password <input type="password" name="password" autocomplete="current-password"></label>'
        f"<button>Sign in</button></form><p><small>In this simulation: any email, password “{PASSWORD}”.</small></p>"
    )
