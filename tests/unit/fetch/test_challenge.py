"""Challenge pages are recognised by structure, without false alarms on pages that only mention them."""

import pytest

from lyra.fetch.challenge import Challenge, recognise

GOOGLE_SORRY = b"""<html><head><title>https://www.google.com/search?q=dpp-4</title></head><body>
<form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha"></div></form>
<b>About this page</b><br>Our systems have detected unusual traffic from your computer network.</body></html>"""
DUCKDUCKGO_ANOMALY = b"""<html><head><title>DuckDuckGo</title></head><body>
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">
<div class="anomaly-modal__mask"><div class="anomaly-modal__modal"><div class="anomaly-modal__title">
Unfortunately, bots use DuckDuckGo too.</div></div></div></form></body></html>"""
TURNSTILE_WALL = """<html><head><title>www.example.jp</title></head><body><main><h1>www.example.jp</h1>
<p>人間であることを確認します。これには数秒かかる場合があります。</p>
<div class="cf-turnstile" data-sitekey="x"></div></main></body></html>""".encode()
CONTACT_FORM = """<html><head><title>お問い合わせ</title></head><body><h1>お問い合わせ</h1>
<form action="/contact"><input type="text" name="name"><textarea name="message"></textarea>
<div class="g-recaptcha" data-sitekey="x"></div><button>送信</button></form></body></html>""".encode()
ARTICLE_ABOUT_CAPTCHAS = (
    b"<html><head><title>Why captchas fail</title></head><body><article><h1>Why captchas fail</h1><p>"
    + b"Cloudflare shows 'Checking your browser' and asks to verify you are human; <code>#challenge-form</code> is "
    b"the form it uses, and reCAPTCHA says it detected unusual traffic from your computer network. "
    * 8
    + b"</p></article></body></html>"
)
TUTORIAL_WITH_LIVE_FORM = (
    b"<html><head><title>Building a quiz</title></head><body><h1>Building a quiz</h1><form id='challenge-form'>"
    b"<button>Start the challenge</button></form><p>"
    + b"Learners answer ten questions in a row. " * 60
    + b"</p></body></html>"
)
NEWS_WITH_GUARD_SCRIPT = (
    b"<html><head><title>Tour results</title><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"
    b"</head><body><p>" + b"The stage was won by three seconds. " * 60 + b"</p></body></html>"
)


@pytest.mark.parametrize(
    ("body", "vendor"),
    [
        (GOOGLE_SORRY, "Google"),
        (DUCKDUCKGO_ANOMALY, "DuckDuckGo"),
        (TURNSTILE_WALL, "a captcha"),
    ],
    ids=["google-sorry", "duckduckgo-anomaly", "turnstile-japanese"],
)
def test_interstitials_are_recognised_with_status_200(body: bytes, vendor: str) -> None:
    """The guards of engines answer 200: read as a page they would look like an empty result."""
    found = recognise(200, {}, body)

    assert found is not None
    assert found.vendor == vendor


@pytest.mark.parametrize(
    "body",
    [
        CONTACT_FORM,
        ARTICLE_ABOUT_CAPTCHAS,
        TUTORIAL_WITH_LIVE_FORM,
        NEWS_WITH_GUARD_SCRIPT,
        b"plain text about captchas",
        b"",
        b"\x00\xff<",
    ],
    ids=["contact-form", "article", "live-form", "guard-script", "plain-text", "empty", "binary"],
)
def test_ordinary_pages_raise_no_alarm(body: bytes) -> None:
    """A widget on a form, a script in the head or a word in the text is not a wall."""
    assert recognise(200, {}, body) is None


def test_header_alone_suffices() -> None:
    """Cloudflare says so itself, whatever the body looks like."""
    assert recognise(403, {"cf-mitigated": "challenge"}, b"") == Challenge("Cloudflare", "header cf-mitigated")


def test_deeply_nested_markup_is_read_within_bounds() -> None:
    """A hostile page of a hundred thousand open tags is just not a challenge."""
    assert recognise(200, {}, b"<div>" * 100_000) is None
