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
AGE_GATE = b"""<html><head><title>Hillside Vineyard</title></head><body><h1>Are you of legal drinking age?</h1>
<form><button>Yes, I am</button><button>No</button></form><a href="/terms">Terms</a></body></html>"""
AGE_DEMAND = b"<html><head><title>Vape Corner</title></head><body>You must be 18+ to visit this site.</body></html>"
JAPANESE_AGE_GATE = """<html><head><title>酒蔵の庭</title></head><body><p>あなたは20歳以上ですか？</p>
<a href="/in">はい</a><a href="/out">いいえ</a></body></html>""".encode()
JAPANESE_PAUSE = """<html><head><title>お知らせ</title></head><body><p>短い間に続けてご覧になったため、
一時的にアクセスを制限しております。しばらくたってからお越しください。</p></body></html>""".encode()
JAPANESE_SUSPICION = """<html><head><title>お知らせ</title></head><body><p>自動アクセスの疑いがあるため、この接続を
遮断しました。</p></body></html>""".encode()
JAPANESE_TITLE = """<html><head><title>アクセスが制限されています</title></head><body>
<p>番号 5512</p></body></html>""".encode()
TOO_OFTEN = b"""<html><head><title>Hold your horses</title></head><body><p>You've sent too many requests in the last
minute; please wait before trying again.</p></body></html>"""

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
BREWERY = b"""<html><head><title>Visit us | Brewery</title></head><body><p>Open from noon. You must be 21 or older to
drink here; children are welcome in the garden until nine.</p></body></html>"""
JAPANESE_HELP = """<html><head><title>よくある質問</title></head><body><p>短時間に多数のアクセスがあった場合、
一時的にアクセスを制限することがあります。しばらく時間をおいてからお試しください。</p></body></html>""".encode()
JAPANESE_LIQUOR = """<html><head><title>梅酒</title></head><body><p>梅酒 720ml 1,800円。
20歳未満の方の飲酒は法律で禁止されています。</p></body></html>""".encode()
AGE_POLICY = b"""<html><head><title>Age verification | Help</title></head><body><p>We ask for a birthday when an account
is opened. Whoever is under 18 needs a parent's consent.</p></body></html>"""
JAPANESE_CLOSURE = """<html><head><title>体育館</title></head><body>
<p>点検のため、一時的に利用を停止します。再開は来週です。</p></body></html>""".encode()
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
        pytest.param(AGE_GATE, "consent", id="asks for an age"),
        pytest.param(AGE_DEMAND, "consent", id="demands an age"),
        pytest.param(JAPANESE_AGE_GATE, "consent", id="asks for an age in Japanese"),
        pytest.param(JAPANESE_PAUSE, "block", id="keeps a visitor out for a while, in Japanese"),
        pytest.param(JAPANESE_SUSPICION, "block", id="suspects a program, in Japanese"),
        pytest.param(JAPANESE_TITLE, "block", id="a title that refuses, in Japanese"),
        pytest.param(TOO_OFTEN, "block", id="has had too many requests"),
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
        pytest.param(BREWERY, id="a page that mentions an age"),
        pytest.param(JAPANESE_HELP, id="a help page that explains a refusal, in Japanese"),
        pytest.param(JAPANESE_LIQUOR, id="a shop page that mentions an age, in Japanese"),
        pytest.param(AGE_POLICY, id="a help page on ages"),
        pytest.param(JAPANESE_CLOSURE, id="a hall that closes for a while, in Japanese"),
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
