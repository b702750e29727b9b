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
AKAMAI_DENIED = b"""<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>
You don't have permission to access "http&#58;&#47;&#47;www&#46;bank&#46;example&#47;" on this server.<P>
Reference&#32;&#35;18&#46;2d3e1402<P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;2d3e1402</BODY></HTML>"""
INCAPSULA_FRAME = b"""<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body>
<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=5">Request unsuccessful. Incapsula incident ID:
877000520131</iframe></body></html>"""
INCAPSULA_SCRIPT = b"""<html><head><META NAME="robots" CONTENT="noindex,nofollow">
<script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4"></script></head><body></body></html>"""
DATADOME = b"""<html lang="en"><head><title>shop.example</title><style>#cmsg{}</style></head><body><p id="cmsg">Please
enable JS and disable any ad blocker</p><script>var dd={'rt':'c','cid':'AHrlqAAAAAMA','hsh':'C0705ACD75EBF6',
't':'fe','s':17434,'host':'geo.captcha-delivery.com'}</script></body></html>"""
PERIMETERX = b"""<html><head><title>Access to this page has been denied</title></head><body><div id="px-captcha"></div>
<p>Press & Hold to confirm you are a human (and not a bot).</p></body></html>"""
SHIELDSQUARE = b"""<html><head><title>ShieldSquare Captcha</title></head><body>
<h1>We apologize for the inconvenience</h1><p>...but your activity and behavior on this site made us think that you are
a bot.</p></body></html>"""
ANUBIS = b"""<html><head><title>Making sure you&#39;re not a bot!</title></head><body><main><p>Loading...</p>
<script id="anubis_challenge" type="application/json">{"rules":{}}</script></main></body></html>"""
NCBI_BLOCKED = b"""<html><head><title>NCBI - WWW Error Blocked Diagnostic</title></head><body><h1>Access Denied</h1>
<p>Your access to the NCBI website at www.ncbi.nlm.nih.gov has been temporarily blocked due to a possible
misuse/abuse situation involving your site. This is not an indication of a security issue.</p></body></html>"""
REDDIT_BLOCKED = b"""<html><head><title>Blocked</title></head><body><h1>whoa there, pardner!</h1>
<p>Your request has been blocked due to a network policy.</p></body></html>"""
JAPANESE_BLOCKED = """<html><head><title>エラー</title></head><body><p>お客様の環境からのアクセスが制限されています。
しばらく時間をおいてから再度お試しください。</p></body></html>""".encode()
LOGIN_FORM = b"""<html><head><title>Sign in to your account</title></head><body><form><input type="email" name="e">
<input type="password" name="p"><button>Sign in</button></form></body></html>"""
JAPANESE_LOGIN = """<html><head><title>会員ログイン | 医学新報</title></head><body>
<p>会員IDとパスワードを入力してください。</p><form><input type="text" name="id"><input type="password" name="pw">
<button>ログイン</button></form></body></html>""".encode()
CONSENT = b"""<html><head><title>Before you continue to Google Search</title></head><body>
<form action="https://consent.google.com/save"><button>Accept all</button></form></body></html>"""
ARTICLE_WITH_HEADER_LOGIN = (
    b"<html><head><title>Glucose and sleep</title></head><body>"
    b"<form class='mini-login'><input type='password'></form><p>"
    + b"Participants who slept less had higher fasting glucose in the morning. " * 20
    + b"</p></body></html>"
)
BLOCKED_ARTICLE = (
    b"<html><head><title>Access denied: how libraries lost their archives</title></head><body><p>"
    + b"Access has been blocked for many readers, the librarians say, and nobody was told. " * 30
    + b"</p></body></html>"
)
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
        (GOOGLE_SORRY, "google"),
        (DUCKDUCKGO_ANOMALY, "duckduckgo"),
        (TURNSTILE_WALL, "turnstile"),
        (AKAMAI_DENIED, "akamai"),
        (INCAPSULA_FRAME, "incapsula"),
        (INCAPSULA_SCRIPT, "incapsula"),
        (DATADOME, "datadome"),
        (PERIMETERX, "perimeterx"),
        (SHIELDSQUARE, "shieldsquare"),
        (ANUBIS, "anubis"),
        (NCBI_BLOCKED, "block"),
        (REDDIT_BLOCKED, "block"),
        (JAPANESE_BLOCKED, "block"),
        (LOGIN_FORM, "login"),
        (JAPANESE_LOGIN, "login"),
        (CONSENT, "consent"),
    ],
    ids=[
        "google-sorry", "duckduckgo-anomaly", "turnstile-japanese", "akamai-denied", "incapsula-frame",
        "incapsula-script", "datadome", "perimeterx", "shieldsquare", "anubis", "ncbi-blocked", "reddit-blocked",
        "japanese-blocked", "login-form", "japanese-login", "consent",
    ],
)  # fmt: skip
def test_interstitials_are_recognised_with_status_200(body: bytes, vendor: str) -> None:
    """The guards of engines answer 200: read as a page they would look like an empty result."""
    found = recognise(200, {}, body)

    assert found is not None
    assert found.name == vendor


@pytest.mark.parametrize(
    ("html", "name"),
    [
        pytest.param("<title>Bevor Sie zur Google Suche weitergehen</title><p>Cookies</p>", "consent", id="consent-de"),
        pytest.param("<title>Avant d'accéder à la recherche Google</title><p>Cookies</p>", "consent", id="consent-fr"),
        pytest.param("<title>Google 検索に進む前に</title><p>Cookie を使用します</p>", "consent", id="consent-ja"),
        pytest.param(
            "<p>Unsere Systeme haben ungewöhnlichen Datenverkehr festgestellt.</p>", "captcha", id="notice-de"
        ),
        pytest.param("<p>Nous avons détecté un trafic exceptionnel.</p>", "captcha", id="notice-fr"),
        pytest.param("<p>通常と異なるトラフィックが検出されました</p>", "captcha", id="notice-ja"),
        pytest.param("<h1>Too many requests</h1>", "block", id="too-many"),
        pytest.param("<p>Your network appears to be sending automated queries.</p>", "block", id="automated"),
    ],
)
def test_guards_speak_several_languages(html: str, name: str) -> None:
    """Engines answer in the language of the network they are asked from."""
    found = recognise(200, {}, html.encode())

    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "body",
    [
        CONTACT_FORM,
        ARTICLE_ABOUT_CAPTCHAS,
        TUTORIAL_WITH_LIVE_FORM,
        NEWS_WITH_GUARD_SCRIPT,
        ARTICLE_WITH_HEADER_LOGIN,
        BLOCKED_ARTICLE,
        b"plain text about captchas",
        b"",
        b"\x00\xff<",
    ],
    ids=[
        "contact-form", "article", "live-form", "guard-script", "header-login", "article-on-blocking", "plain-text",
        "empty", "binary",
    ],
)  # fmt: skip
def test_ordinary_pages_raise_no_alarm(body: bytes) -> None:
    """A widget on a form, a script in the head or a word in the text is not a wall."""
    assert recognise(200, {}, body) is None


def test_header_alone_suffices() -> None:
    """Cloudflare says so itself, whatever the body looks like."""
    assert recognise(403, {"cf-mitigated": "challenge"}, b"") == Challenge("cloudflare", "header cf-mitigated")


def test_deeply_nested_markup_is_read_within_bounds() -> None:
    """A hostile page of a hundred thousand open tags is just not a challenge."""
    assert recognise(200, {}, b"<div>" * 100_000) is None


@pytest.mark.parametrize("codec", ["utf-16", "shift_jis", "euc_jp"])
def test_challenge_is_recognised_in_any_encoding(codec: str) -> None:
    """The words of a wall count whatever bytes they come in, declared or not."""
    body = JAPANESE_BLOCKED.decode().encode(codec)

    found = recognise(403, {}, body)

    assert found == recognise(403, {}, JAPANESE_BLOCKED)
    assert found is not None
