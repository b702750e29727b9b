"""What an answer is at a glance: content, shell, teaser, an error in disguise, or nothing."""

import pytest

from lyra.fetch.page_state import PageState, StateFinding, detect_state

ARTICLE = (
    "<html><head><title>Sleep</title></head><body><article>" + "<p>Sleep matters. </p>" * 200 + "</article></html>"
)
APP = '<html><head><title>Portal</title></head><body><div id="__next"></div><script src="/x.js"></script></body></html>'
PLEA = "<html><head><title>App</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript>"
JAPANESE_PLEA = "<html><head><title>統計</title></head><body><p>JavaScriptを有効にしてください。</p></body></html>"
PAYWALL = (
    "<html><head><title>Trial halted</title></head><body><p>The trial was halted on Monday.</p>"
    "<div class='overlay'><h2>Subscribe to continue reading</h2></div></body></html>"
)
JAPANESE_PAYWALL = (
    "<html><head><title>治験中止</title></head><body><p>治験は中止された。</p>"
    "<p>この記事は会員限定です。残り1,234文字</p></body></html>"
)
MARKED_PAYWALL = (
    '<html><head><title>x</title><script type="application/ld+json">{"isAccessibleForFree": false}</script></head>'
    '<body><p>The first paragraph.</p><div class="paywall-gate"></div></body></html>'
)
FREE_WITH_PAYWALL_CLASS = (
    '<html><head><title>x</title></head><body class="paywall-off"><p>'
    + "All of it is here. " * 50
    + "</p></body></html>"
)
FREE_BESIDE_AN_OFFER = (
    '<html><head><title>Ferry</title><script type="application/ld+json">{"isAccessibleForFree": %s}</script></head>'
    "<body><article><p>The ferry sails again in May, the operator said on Monday.</p></article>"
    "<aside><p>Subscribe from £1 a week. Already a subscriber? Log in</p></aside></body></html>"
)
FRAMED_APP = (
    "<html><head><title>移住と人口のダッシュボード</title><script>var a = 1</script></head><body>"
    "<div class='cookie'><p>当サイトでは、利便性の向上のためにクッキーを使用しています。</p></div>"
    "<nav>" + "<a href='/1'>人口に関する公的統計の一覧</a>" * 40 + "</nav><main><h1>移住と人口</h1>"
    "<div id='app' data-state='loading'></div><noscript><p>This page needs JavaScript.</p></noscript></main>"
    "<footer>" + "<p>人口動態統計局の所在地と連絡先</p>" * 20 + "</footer></body></html>"
)
ARTICLE_WITH_WIDGET = (
    "<html><head><title>Trial</title><script>var a = 1</script></head><body><article><p>"
    + "Sitagliptin did not raise the rate of heart failure. " * 60
    + "</p></article><div id='app'></div></body></html>"
)
MISSING = "<html><head><title>404 - Page not found</title></head><body><p>Try the search.</p></body></html>"
ARTICLE_ON_MISSING = (
    "<html><head><title>Page not found: a history of the dead link</title></head><body><p>"
    + "Links die within a decade, librarians found. " * 60
    + "</p></body></html>"
)


@pytest.mark.parametrize(
    ("page", "state"),
    [
        (ARTICLE, PageState.CONTENT),
        (APP, PageState.NEEDS_JAVASCRIPT),
        (FRAMED_APP, PageState.NEEDS_JAVASCRIPT),
        (ARTICLE_WITH_WIDGET, PageState.CONTENT),
        (PLEA, PageState.NEEDS_JAVASCRIPT),
        (JAPANESE_PLEA, PageState.NEEDS_JAVASCRIPT),
        (PAYWALL, PageState.PAYWALL),
        (JAPANESE_PAYWALL, PageState.PAYWALL),
        (MARKED_PAYWALL, PageState.PAYWALL),
        (FREE_WITH_PAYWALL_CLASS, PageState.CONTENT),
        (FREE_BESIDE_AN_OFFER % "true", PageState.CONTENT),
        (FREE_BESIDE_AN_OFFER % "false", PageState.PAYWALL),
        (MISSING, PageState.SOFT_404),
        (ARTICLE_ON_MISSING, PageState.CONTENT),
        ("<html><head><title>Empty</title></head><body></body></html>", PageState.EMPTY),
        ("", PageState.EMPTY),
        ("血糖値は下がった。", PageState.CONTENT),
    ],
    ids=[
        "article", "application", "application-framed", "article-with-widget", "plea", "plea-japanese", "paywall",
        "paywall-japanese", "paywall-marked",
        "paywall-class-only", "free-beside-an-offer", "not-free-beside-an-offer",
        "soft-404", "article-on-404", "empty-page", "nothing", "plain-text",
    ],
)  # fmt: skip
def test_state_is_seen(page: str, state: PageState) -> None:
    """Each kind of answer is told apart by what stands in it."""
    assert detect_state(200, {}, page.encode()).state is state


def test_state_says_by_what_it_was_seen() -> None:
    """A reader can check the evidence."""
    assert detect_state(200, {}, PAYWALL.encode()) == StateFinding(
        PageState.PAYWALL, "words 'subscribe to continue reading'"
    )


def test_guard_comes_before_any_state() -> None:
    """A page that is a challenge is never a teaser or a shell as well."""
    found = detect_state(200, {"cf-mitigated": "challenge"}, APP.encode())

    assert (found.state, found.challenge and found.challenge.name) == (PageState.CHALLENGE, "cloudflare")
