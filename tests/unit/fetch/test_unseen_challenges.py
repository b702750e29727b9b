"""Challenges of kinds that nobody had listed: refusals in other languages, and pages that only test for scripts."""

import pytest

from lyra.fetch.challenge import Challenge, is_script_gate, recognise

CAR_MARKET = b"""<html><head><title>Zugriff verweigert / Access denied</title></head><body><h1>Zugriff verweigert</h1>
<p>Fehlernummer: 0.53c61402.1763</p></body></html>"""
SITE_AND_REFUSAL = b"<html><head><title>403 - Interdit | Mairie</title></head><body><p>Ref. 88213</p></body></html>"
CHINESE_REFUSAL = (
    "<html><head><title>提示</title></head><body><p>您的请求被拦截，编号 7712。</p></body></html>".encode()
)
BARE_REFUSAL = b"<html><body>Access denied: 403 forbidden</body></html>"
COOKIE_AND_RELOAD = b"""<html><body><script src="/aes.js"></script><script>var k = decrypt("63c1");
document.cookie = "__check=" + k + "; path=/"; location.href = "https://x.example/?i=1";</script><noscript>This site
needs a browser that can run scripts; please switch them on and load the page once more.</noscript></body></html>"""
SELF_SENT_FORM = b"""<html><head><title>Verification</title></head><body><form hidden action="/r/research">
<input type="hidden" name="answer"><input type="hidden" name="seal" value="4c1b"></form><script>
document.forms[0].elements[0].value = work("4c1b"); document.forms[0].requestSubmit()</script></body></html>"""
PROOF_OF_WORK = b"""<html><head><script>window.CHALLENGE = {nonce: 'a318', difficulty: 3}</script></head><body>
<noscript>JavaScript required</noscript></body></html>"""
COMMUNITY = b"""<html><head><title>The front page</title></head><body><h1>Prove your humanity</h1><p>We care for safety
and security, but not for bots. Complete the challenge below to go on.</p></body></html>"""
WAITING = b"<html><body>Just a moment...</body></html>"
WANTS_BOTH = b"<html><body><p>Please enable JavaScript and cookies to continue</p></body></html>"
REFRESHED = b"""<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></head></html>"""

APP_SHELL = b"""<html><head><title>Fares</title><script>document.cookie = "seen=1";
function go() { location.href = "/x" }</script></head><body>
<noscript>Please enable JavaScript and cookies to continue</noscript>
<div id="root"></div></body></html>"""
SHOP_BUNDLES = b"""<html><head><script src="/a.js"></script><script src="/b.js"></script><script src="/c.js"></script>
<script>document.cookie = "ab=1"; if (old) location.reload()</script></head><body></body></html>"""
ARTICLE_ON_REFUSALS = (
    b"<html><head><title>Access denied: how libraries lost their archives</title></head><body><p>"
    + b"Zugriff verweigert was all that readers saw, and some were asked to prove your humanity first. " * 12
    + b"</p></body></html>"
)
SHORT_NOTE = b"""<html><head><title>Parking | Town of Aomine</title></head><body><p>Access to the car park behind the
library is restricted to residents on market days; the barrier opens with the resident card.</p></body></html>"""
LOGIN_LINK = b"""<html><head><title>Harbour news</title></head><body><p>The ferry runs again from Monday. Log in
to comment.</p></body></html>"""


@pytest.mark.parametrize(
    ("body", "name"),
    [
        pytest.param(CAR_MARKET, "block", id="a car market"),
        pytest.param(SITE_AND_REFUSAL, "block", id="number, refusal and site in a title"),
        pytest.param(CHINESE_REFUSAL, "block", id="Chinese"),
        pytest.param(BARE_REFUSAL, "block", id="nothing but the refusal"),
        pytest.param(COOKIE_AND_RELOAD, "javascript", id="sets a cookie and loads again"),
        pytest.param(SELF_SENT_FORM, "javascript", id="sends a form by itself"),
        pytest.param(PROOF_OF_WORK, "javascript", id="a task for the visitor"),
        pytest.param(WANTS_BOTH, "javascript", id="wants scripts and cookies"),
        pytest.param(WAITING, "javascript", id="nothing but waiting"),
        pytest.param(COMMUNITY, "captcha", id="a community site"),
        pytest.param(REFRESHED, "siteground", id="leads to its check"),
    ],
)
def test_unlisted_kinds_are_recognised(body: bytes, name: str) -> None:
    """By what such pages have in common, not by their maker's name."""
    found = recognise(200, {}, body)

    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(APP_SHELL, id="an application that scripts fill"),
        pytest.param(SHOP_BUNDLES, id="a page of many scripts"),
        pytest.param(ARTICLE_ON_REFUSALS, id="an article about refusals"),
        pytest.param(SHORT_NOTE, id="a note that uses the words"),
        pytest.param(LOGIN_LINK, id="a page that mentions a log-in"),
    ],
)
def test_look_alikes_are_pages(body: bytes) -> None:
    """The same words and calls on a page that has something to say, or a place where scripts will say it."""
    assert recognise(200, {}, body) is None


def test_pages_that_test_for_scripts_are_tried_in_a_browser() -> None:
    """They ask nothing of a person."""
    assert [is_script_gate(name) for name in ("javascript", "siteground", "aliyun", "tencent")] == [
        True,
        True,
        True,
        False,
    ]


def test_header_of_a_host_suffices() -> None:
    """As with Cloudflare."""
    assert recognise(202, {"sg-captcha": "challenge"}, b"") == Challenge("siteground", "header sg-captcha")
