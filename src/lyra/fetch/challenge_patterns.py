"""Patterns of interstitials, captchas, log-ins and block pages, which occur on no other page.

A name says what kind of challenge it is, as handoffs call it (`cloudflare`, `captcha`, `login`, …). Tags are given as
tag name, attribute and a pattern of its value; words are matched on lower-case text with single spaces.
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
WANTS_BOTH = re.compile(r"enable (?:javascript and cookies|cookies and javascript)")
SENDS_FORM = re.compile(r"\.(?:requestSubmit|submit)\(\)")
# Widgets stand on ordinary forms too: they count only on a page that asks for nothing else.
WIDGETS: tuple[tuple[str, tuple[Sign, ...]], ...] = (
    ("turnstile", (("*", "class", r"\bcf-turnstile\b"), ("input", "name", r"^cf-turnstile-response$"))),
    ("hcaptcha", (("*", "class", r"\bh-captcha\b"), ("iframe", "src", r"hcaptcha\.com"))),
    ("recaptcha", (("*", "class", r"\bg-recaptcha\b"), ("iframe", "src", r"/recaptcha/"))),
    ("captcha", (("*", "class", r"\b(frc-captcha|mtcaptcha|smart-captcha)\b"), ("img", "src", r"captcha"))),
)

_HUMAN = r"(?:a )?(?:human|real person|not a (?:ro)?bot)"
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
    (
        "captcha",
        re.compile(
            r"^(are you (?:not )?a (?:ro)?bot\?|robot check|(?:ro)?bot or not\??|security check(?: required)?"
            r"|(?:.{1,40} [-|:] )?(?:please wait for |(?:human|bot|captcha|browser|security) )verification"
            r"|(?:.{1,40} [-|:] )?robot or human\?|captcha|client challenge|robot challenge screen"
            r"|vercel security checkpoint"
            rf"|verify(?:ing)? (?:that )?you(?:'|’)?(?:re| are) {_HUMAN}.*"
            r"|(?:.{1,40} [-|:] )?automated access detected|one moment, please\.*"
            r"|百度安全验证|ロボットによる?確認|セキュリティチェック|画像認証)$"
        ),
    ),
    (
        "consent",
        re.compile(
            r"^(before you continue(?: to .{1,60})?|bevor sie .{1,60} (?:weitergehen|fortfahren)"
            r"|avant d(?:'|’)accéder à .{1,60}|.{1,40}に進む前に)$"
        ),
    ),
)
# What a page says that takes its visitor for a program and offers a way to prove the contrary.
NOTICES = re.compile(
    rf"verify(?:ing)? (?:that )?you(?:'|’)?(?:re| are) {_HUMAN}|checking your browser"
    r"|checking if the site connection is secure"
    rf"|(?:confirm|prove|show)(?:ing)? (?:that |us )?you(?:'|’)?(?:re| are) {_HUMAN}"
    r"|unusual (?:traffic|activity|download activity) from your|automated access detected"
    r"|ungewöhnlichen datenverkehr|trafic (?:exceptionnel|inhabituel)"
    r"|made us think that you are a bot|press (?:&|and) hold to confirm"
    r"|prove your humanity|performing (?:a )?security verification|verifying your (?:browser|connection)"
    r"|(?:complete|solve|pass) (?:the|this) (?:challenge|(?:re)?captcha|puzzle|security check) (?:below|to |and )"
    r"|type the characters you see|异常请求|запросы отправляли вы"
    r"|enable js and disable any ad blocker|please wait while (?:we verify|your request is being verified)"
    r"|sind sie ein mensch|kein roboter sind|(?:pas|no) (?:es |eres |êtes )?un robot|не робот|人机验证|安全验证"
    r"|ロボットではない(?:こと|です)|人間であることを確認|通常と異なるトラフィック|ブラウザを確認しています"
)
# How pages in other languages say "access denied".
_DENIED = (
    r"zugriff (?:wurde )?verweigert|acc[eè]s (?:a été )?refusé|acceso (?:ha sido )?denegado|accesso negato"
    r"|acesso negado|toegang geweigerd|odmowa dostępu|доступ (?:запрещ[её]н|ограничен|заблокирован)"
    r"|(?:访问|请求)被(?:拒绝|阻断|拦截)|(?:拒绝|禁止)访问|접근이 (?:거부|차단)|requête refusée|interdit"
)
# A part of a title that says so; beside it there may be a number and the site's name.
REFUSAL_PART = re.compile(
    rf"(?:error )?40[136]|(?:error )?429|(?:{_DENIED})|access (?:is )?(?:denied|blocked|forbidden|restricted)|forbidden"
    r"|(?:your )?request (?:has been |was )?(?:blocked|rejected|denied|refused|unsuccessful)|too many requests"
    r"|アクセス(?:拒否|制限)"
)
TITLE_BREAK = re.compile(r"\s*[/|–—:·]\s*|\s+-\s+")
# The whole of a page that says only that its visitor must wait.
WAIT = re.compile(r"(?:just|one) a? ?moment(?: please)?\W*|please wait\W*")
# What a page says that simply refuses.
REFUSALS = re.compile(
    r"you (?:do not|don(?:'|’)t) have permission to (?:access|view) |sorry, you have been blocked"
    r"|your (?:ip(?: address)?|request|access)(?: to [^.]{1,120})? (?:has|have) been (?:temporarily |permanently )?"
    r"(?:blocked|banned|denied|rejected|limited)"
    r"|you(?:'|’)?(?:ve| have) been blocked|blocked by (?:network |our )?security|whoa there, pardner"
    r"|this request has been blocked"
    r"|access (?:to this (?:site|page|resource|website) )?(?:has been|is|was) (?:blocked|denied|forbidden|restricted)"
    r"|incapsula incident id|radware bot manager|the requested url was rejected"
    r"|not (?:yet )?available in your (?:country|region|location)|お住まいの(?:国|地域)では(?:ご利用|閲覧)"
    r"|you are being rate limited|your access to this (?:site|service) has been limited"
    r"|\btoo many requests(?:[.!]|$)|sending automated (?:queries|requests)"
    r"|automated (?:access|queries|requests) (?:is|are) not (?:allowed|permitted)"
    r"|アクセス[がは](?:拒否|制限|ブロック|遮断)され|アクセスは許可されていません|閲覧する権限がありません"
    rf"|不正なアクセスと判断|{_DENIED}"
)
REFUSAL_TITLES = re.compile(
    rf"^(?:(?:error )?403[ :|-]*)?(?:(?:{_DENIED})(?: ?[/|–-] ?access denied)?"
    r"|access (?:is )?(?:denied|blocked|forbidden)|forbidden|you have been blocked|blocked"
    r"|(?:your )?request (?:has been )?(?:blocked|rejected|denied)|access to .{1,80} (?:has been )?(?:denied|blocked)"
    r"|.{1,60}error blocked diagnostic|アクセス(?:拒否|制限|が拒否されました))!?\.?$|^403$|^error (?:1020|1015)$"
)
_SIGN_IN = r"(?:sign|log)[ -]?(?:in|on)"
LOGIN_TITLES = re.compile(
    rf"^(?:(?:please |member |account |user )?{_SIGN_IN}\b.{{0,60}}|.{{1,60}}[-|:–·] {_SIGN_IN}|login"
    r"|authentication required"
    r"|(?:.{1,40}[-|:–｜] ?)?(?:会員)?(?:ログイン|サインイン)(?:画面|ページ)?(?: ?[-|:–｜] ?.{1,40})?)$"
)
LOGIN_WORDS = re.compile(
    rf"(?:please |you must |you need to )?{_SIGN_IN} (?:to (?:continue|view|read|access|see)|with [a-z])"
    rf"|(?:{_SIGN_IN}|login|authentication|registration) (?:is )?required|requires authentication"
    r"|ログイン(?:して(?:ください|続行)|が必要です)|サインインして(?:ください|続行)|会員登録が必要です"
)
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
