"""Patterns of interstitials, captchas, log-ins and block pages, which occur on no other page.

A name says what kind of challenge it is, as handoffs call it (`cloudflare`, `captcha`, `login`, …). Tags are given as
tag name, attribute and a pattern of its value. What such pages say stands in `challenge_words`.
"""

import re

Sign = tuple[str, str, str]

# Tags that occur on interstitials only.
INTERSTITIAL_TAGS: tuple[tuple[str, tuple[Sign, ...]], ...] = (
    (
        "duckduckgo",
        (
            ("*", "class", r"\banomaly-modal__"),
            ("form", "action", r"duckduckgo\.com/anomaly"),
            ("script", "src", r"anomaly\.js"),
        ),
    ),
    ("google", (("form", "action", r"^index$|/sorry/"), ("iframe", "src", r"/httpservice/retry/enablejs"))),
    ("captcha", (("form", "id", r"^captcha-form$"),)),
    (
        "cloudflare",
        (
            ("form", "id", r"^challenge-form$"),
            ("input", "name", r"^(jschl[-_](vc|answer)|__cf_chl_)"),
            ("*", "id", r"^(cf-)?challenge-(running|error-text|stage|spinner)$|^cf-please-wait$"),
            ("*", "class", r"\bcf-(browser-verification|im-under-attack|captcha-container)\b"),
            ("script", "src", r"challenge-platform.*orchestrate"),
            ("iframe", "src", r"challenges\.cloudflare\.com"),
        ),
    ),
    ("yandex", (("form", "action", r"/checkcaptcha"), ("*", "class", r"\bcheckboxcaptcha\b"))),
    ("baidu", (("*", "class", r"\bpassmod_dialog-wrapper\b"),)),
    ("amazon", (("form", "action", r"/errors/validatecaptcha"),)),
    (
        "datadome",
        (
            ("iframe", "src", r"captcha-delivery\.com|datadome\.co/captcha"),
            ("script", "src", r"\bct\.captcha-delivery\.com"),
        ),
    ),
    (
        "perimeterx",
        (
            ("*", "id", r"^px-captcha"),
            ("*", "class", r"\bpx-captcha-(container|wrapper)\b"),
            ("script", "src", r"captcha\.(px-cdn|perimeterx)\.net"),
        ),
    ),
    ("incapsula", (("iframe", "src", r"_incapsula_resource"),)),
    (
        "akamai",
        (
            ("*", "id", r"^sec-(if-cpt|bc-tile|cpt-if)"),
            ("script", "src", r"/_sec/cp_challenge/"),
            ("meta", "content", r"[?&]bm-verify="),
            ("a", "href", r"//errors\.edgesuite\.net/"),
        ),
    ),
    ("shieldsquare", (("form", "action", r"perfdrive\.com"), ("iframe", "src", r"perfdrive\.com"))),
    ("aws_waf", (("script", "src", r"\.(token|captcha)\.awswaf\.com/"),)),
    ("ddos_guard", (("script", "src", r"/\.well-known/ddos-guard/"), ("*", "id", r"^ddg-captcha"))),
    ("anubis", (("script", "src", r"/\.within\.website/x/cmd/anubis/"), ("script", "id", r"^anubis_challenge$"))),
    ("siteground", (("meta", "content", r"/\.well-known/(sg)?captcha/"),)),
    ("javascript", (("input", "name", r"^js_challenge$"), ("meta", "content", r"\bjs challenge$"))),
    ("tencent", (("form", "action", r"/wafcaptcha"),)),
    ("captcha", (("iframe", "src", r"\b(arkoselabs|funcaptcha)\.com"), ("*", "class", r"\bgeetest_(captcha|panel)"))),
    ("consent", (("form", "action", r"//consent\.(google|youtube|yahoo)\."), ("*", "class", r"\bconsent-wall\b"))),
)
# Scripts of a guard that stand on ordinary pages too: they count where there is nothing else to read.
ONLY_SCRIPTS: tuple[tuple[str, Sign], ...] = (
    ("incapsula", ("script", "src", r"_incapsula_resource")),
    ("kasada", ("script", "src", r"/ips\.js\?")),
    ("qrator", ("script", "src", r"/__qrator/")),
    ("javascript", ("script", "src", r"(^|[/_.-])challenge([/_.-]|$)")),
)
# These stand on short pages as well: they count where there is not a single word.
WORDLESS_SCRIPTS: tuple[Sign, ...] = (
    ("script", "src", r"/cdn-cgi/challenge-platform/|challenges\.cloudflare\.com/turnstile"),
)
INLINE_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("cloudflare", re.compile(r"\b_cf_chl_opt\b|\bs,t,o,p,b,r,e,a,k,i,n,g,f\b")),
    ("datadome", re.compile(r"\bvar dd\s*=\s*\{\s*['\"]rt['\"]")),
    ("perimeterx", re.compile(r"\b_pxappid\s*=.*\b_pxhostUrl\b", re.IGNORECASE | re.DOTALL)),
    ("aws_waf", re.compile(r"\bgokuprops\s*=", re.IGNORECASE)),
    ("sucuri", re.compile(r"\bsucuri_cloudproxy_js\b")),
    ("kasada", re.compile(r"\bKPSDK\.(now|start)\b")),
    ("aliyun", re.compile(r"\bacw_sc__v\d\b")),
    ("siteground", re.compile(r"\bsgchallenge\s*=")),
)
# What a page without words does that only tests whether its visitor runs scripts: it sets a cookie and loads again, or
# sends a form that nobody has filled in.
SETS_COOKIE = re.compile(r"\bdocument\.cookie\s*=(?!=)|\bcookieStore\.set\(")
LOADS_AGAIN = re.compile(r"\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:reload|replace|assign)\(|\bhistory\.go\(0\)")
IS_CHALLENGE = re.compile(r"challenge", re.IGNORECASE)
HAS_TASK = re.compile(r"\b\w*(?:nonce|difficulty|hmac|proof_?of_?work)\w*\b", re.IGNORECASE)
SENDS_FORM = re.compile(r"\.(?:requestSubmit|submit)\(\)")
# Widgets stand on ordinary forms too: they count only on a page that asks for nothing else.
WIDGETS: tuple[tuple[str, tuple[Sign, ...]], ...] = (
    ("turnstile", (("*", "class", r"\bcf-turnstile\b"), ("input", "name", r"^cf-turnstile-response$"))),
    ("hcaptcha", (("*", "class", r"\bh-captcha\b"), ("iframe", "src", r"hcaptcha\.com"))),
    ("recaptcha", (("*", "class", r"\bg-recaptcha\b"), ("iframe", "src", r"/recaptcha/"))),
    ("captcha", (("*", "class", r"\b(frc-captcha|mtcaptcha|smart-captcha)\b"), ("img", "src", r"captcha"))),
)

# Titles by which single guards are known.
TITLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "cloudflare",
        re.compile(
            r"^(just a moment\.\.\.|attention required! \| cloudflare|please wait\.\.\. \| cloudflare"
            r"|access denied \| .{1,100} used cloudflare to restrict access)$"
        ),
    ),
    ("ddos_guard", re.compile(r"^ddos-guard$")),
    ("perimeterx", re.compile(r"^access to this page has been denied")),
    ("incapsula", re.compile(r"^pardon our interruption")),
    ("shieldsquare", re.compile(r"^shieldsquare (captcha|block)")),
    ("sucuri", re.compile(r"^sucuri website firewall")),
    ("anubis", re.compile(r"^making sure you(?:'|’)?re not a bot")),
)
TITLE_BREAK = re.compile(r"\s*[/|–—:·]\s*|\s+-\s+")
# Before a refusal in a title there may be its number; some titles are nothing else.
REFUSAL_NUMBER = re.compile(r"^(?:error )?403[ :|-]*")
NUMBER_TITLES = re.compile(r"403|error (?:1020|1015)")
HEADERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("cloudflare", "cf-mitigated", ("challenge", "block")),
    ("aws_waf", "x-amzn-waf-action", ("challenge", "captcha")),
    ("vercel", "x-vercel-mitigated", ("challenge",)),
    ("siteground", "sg-captcha", ("challenge",)),
)

# What a browser that runs scripts may pass by itself; the rest of the names ask for a person or refuse.
SCRIPT_GATES = frozenset(
    {
        "akamai",
        "aliyun",
        "anubis",
        "aws_waf",
        "cloudflare",
        "datadome",
        "ddos_guard",
        "incapsula",
        "javascript",
        "kasada",
        "siteground",
        "sucuri",
        "vercel",
    }
)
REFUSAL = "block"
