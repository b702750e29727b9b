"""What a secret looks like: by its own shape, or by the name it goes under together with its shape. Pure."""

import re
import unicodedata
from collections.abc import Collection
from urllib.parse import unquote

# Tokens that are known by their form alone, whoever issued them. What follows a prefix must also look random: a page
# about SK Hynix is not a key.
_JWT = r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
_FIXED = (
    r"(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}",  # Amazon
    r"AIza[\w-]{35}",  # Google
    r"ya29\.[\w-]{20,}",
    r"GOCSPX-[\w-]{20,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"\d{8,10}:AA[\w-]{33}",  # Telegram
    r"[srp]k_(?:live|test)_\w{16,}|sk-(?:ant|proj)-[\w-]{12,}",  # Stripe, Anthropic, OpenAI
    r"gh[oprsu]_\w{30,}|github_pat_\w{20,}|glpat-[\w-]{16,}",  # GitHub, GitLab
    r"xox[abeoprs]-[\w-]{10,}",  # Slack
)
_PREFIXED = (r"(?:sk|pk|rk|ak|gh[oprsu]|hf|npm|pypi|dop_v1|shp(?:at|ca|pa|ss)|lin_api|tvly|pplx)[-_][\w-]{16,}",)
_FIXED_TOKEN = re.compile(rf"(?<![\w.-])(?:{'|'.join((_JWT, *_FIXED))})(?![\w-])")
_PREFIXED_TOKEN = re.compile(rf"(?<![\w.-])(?:{'|'.join(_PREFIXED)})(?![\w-])")

# The words of a name, whether joined by signs or by capitals: `X-Amz-Signature`, `accessToken`.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\x00-\x7f]+")
# A name with one of these holds a secret, whatever it looks like.
_ALWAYS = frozenset(
    "password passwd pwd passphrase secret bearer authorization token jwt パスワード 合言葉 秘密鍵 トークン".split()
)
_ALWAYS_JOINED = re.compile(
    r"(?:api|access|auth|pass|secret|private|signing|shared|share|subscription|license|app|service|rss|consumer)key$"
    r"|password|passwd|passphrase|secret|token$|jwt$|^apikey|sessid$|sessionid$|^jsessionid|^aspsessionid|_?tk$"
)
# Names that stand as often before something harmless: only a value that looks random is a secret.
_SOMETIMES = frozenset(
    "sig signature sign signed hmac key auth code state nonce session sid ticket credential credentials access csrf "
    "xsrf hdnea hdnts hdntl sas verifier challenge assertion samlresponse samlrequest saml artifact grant invite "
    "invitation share confirmation activation reset magic unsubscribe hint vqd hash md5 st verify verification".split()
)
# Of a file's digest and the like nothing is hidden, unless the address also says when it expires: then it is signed.
_ONLY_SIGNED = frozenset("hash md5 st verify".split())
_EXPIRY = frozenset("expires expiry expire exp ttl validity".split())
# Signatures of addresses that hold for a time: beside one of these names, or with the name of a store before them, they
# are secret whatever they look like.
_SIGNATURE = frozenset("sig signature sign".split())
_SIGNED_BESIDE = _EXPIRY | frozenset(
    "se x-amz-date x-amz-expires x-amz-credential x-goog-date x-goog-expires x-goog-credential key-pair-id "
    "awsaccesskeyid googleaccessid ossaccesskeyid".split()
)
_STORES = frozenset("amz goog oss cos ms".split())
# What a log-in hands over (RFC 6749 §4.1.2): on the way back to the application whatever it looks like, elsewhere where
# both stand side by side and the code is longer than one of a country or a post office.
_HANDED_OVER = frozenset({"code", "state"})
_LEAST_CODE = 10
_WAY_BACK = re.compile(
    r"(?:^|/)(?:oauth2?|oidc|openid(?:-connect)?|sso)(?:[-_]?callback)?(?:/|$)|(?:^|/)(?:auth|login|signin|sign-in|connect)"
    r"/(?:[^/]+/)*callback/?$|/(?:signin|login|callback)-?(?:oidc|oauth2?)/?$|/oauth2?[-_]?callback/?$",
    re.IGNORECASE,
)
_LEAST_HANDED_OVER = 4
_ONE_TIME = frozenset("otp totp pin passcode mfa 暗証番号 認証コード 確認コード".split())
_ADDRESS = frozenset("email mail mailto".split())
# Names of a person that are often a mail address, and those beside which `pass` is a password.
_PERSONS = frozenset("user username userid uid login upn account recipient subscriber".split())
_MAIL = re.compile(r"[^@\s/?&=]+@[^@\s/?&=]+\.\w{2,}")
# Short for a password, `pass` as often for something else: a mountain's, a season's.
_SHORT_PASSWORD = frozenset({"pw", "pass"})
# What a header of authorisation says, handed over in an address.
_SCHEMES = frozenset("basic bearer digest negotiate".split())
_UNLIKE_WORD = re.compile(r"(?=.*[A-Z0-9=])\S{6,}")
# What a name ends in that speaks about a secret without being it: `token_type`, `Key-Pair-Id`.
_ABOUT = frozenset("type kind count length expires expiry lifetime ttl version name status".split())
# Names of places in a list, which go by `token` too.
_PLACES = frozenset("page next continuation cursor prev previous offset sync".split())
_HARMLESS = frozenset("true false yes no on off null none undefined required redacted 0 1".split())

# Whoever knows the address of a webhook may write into the chat: by host, the path up to its secret.
_WEBHOOKS = (
    (
        re.compile(r"hooks\.slack(?:-gov)?\.com"),
        re.compile(r"/(?:services|workflows|triggers)/(?:[^/]+/){2,3}([^/]+)/?$"),
    ),
    (re.compile(r"(?:[a-z]+\.)?discord(?:app)?\.com"), re.compile(r"/api/(?:v\d+/)?webhooks/\d+/([^/]+)")),
)

_LEAST_RANDOM = 12
_SHORT_RANDOM = 6
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{16,}|[0-9a-f]{32,}", re.IGNORECASE)
_KEY_CHARS = re.compile(r"[\w+/=.~*!:%-]+", re.ASCII)
_GROUPS = re.compile(r"[a-z]{1,6}[-_./:]?\d[\d.]*(?:[-_./:][a-z0-9]{1,5})*", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}|(?<!\d)(?:19|20)\d\d(?!\d)")
# A row of letters and digits without any sign between them is a key, unless it is words with a year or a small number.
_UNBROKEN = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9]{16,}")
_WORDS_AND_NUMBERS = re.compile(r"(?:[A-Z]?[a-z]{3,}+|[A-Z]{4,}+|(?<!\d)(?:(?:19|20)\d\d|\d{1,2})(?!\d))+")
_VOWELS = re.compile(r"[aeiouy]", re.IGNORECASE)
_PILE = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}", re.IGNORECASE)
# The most of a random value that looks like words by chance.
_WORD_SHARE = 0.55


def known_tokens(text: str) -> list[tuple[int, int]]:
    """Where tokens of a known form stand in a text, from first to last."""
    fixed = [match.span() for match in _FIXED_TOKEN.finditer(text)]
    prefixed = [match.span() for match in _PREFIXED_TOKEN.finditer(text) if _is_mixed(match.group())]
    found: list[tuple[int, int]] = []
    for start, end in sorted(fixed + prefixed):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def webhook_secret(host: str, path: str) -> tuple[int, int] | None:
    """Where in the path of a chat's webhook its secret stands, whatever it looks like."""
    shape = next((shape for hosts, shape in _WEBHOOKS if hosts.fullmatch(host.lower())), None)
    found = shape.match(path) if shape else None
    return found.span(1) if found else None


def is_secret(name: str, value: str, beside: Collection[str] = (), path: str = "") -> bool:
    """Whether the value under this name must not be kept; `beside` are the other names of the same address."""
    plain = unquote(value).strip()
    if not plain or plain.lower() in _HARMLESS:
        return False
    words = [word.lower() for word in _WORDS.findall(unicodedata.normalize("NFKC", unquote(name)))]
    joined = "".join(words)
    if _ADDRESS & set(words):
        return "@" in plain
    if _PERSONS & {*words, joined} and _MAIL.fullmatch(plain):
        return True
    if words and (words[-1] in _ABOUT or (words[-1] == "id" and "session" not in words)):
        return False
    if (_ALWAYS & set(words) or _ALWAYS_JOINED.search(joined)) and not _PLACES & set(words):
        return True
    if _SHORT_PASSWORD & set(words):
        return _is_password(words, plain, beside)
    if _ONE_TIME & set(words):
        return (plain.isdigit() and 4 <= len(plain) <= 10) or looks_random(plain, _SHORT_RANDOM)
    if "auth" in words and _names_scheme(plain):
        return True
    if _signs(words, beside) or _is_handed_over(joined, plain, beside, path):
        return True
    named = _SOMETIMES & {*words, joined}
    if not named or (named <= _ONLY_SIGNED and not _EXPIRY & {one.lower() for one in beside}):
        return False
    return looks_random(plain) or _is_unbroken(plain)


def _is_password(words: Collection[str], value: str, beside: Collection[str]) -> bool:
    """Whether this is no place, date or number; beside the name of a person it is a password whatever it looks like."""
    if _PERSONS & {one.lower() for one in beside}:
        return True
    if "pw" in words:
        return not value.isdigit()
    if re.search(r"[a-zA-Z]", value) and re.search(r"\d", value) and re.search(r"[!#$%^&*?@]", value):
        return True
    return looks_random(value, _SHORT_RANDOM)


def _names_scheme(value: str) -> bool:
    """Whether a scheme of authorisation stands before what is no word: `Basic dXNlcjpwYXNz`."""
    scheme, *rest = re.split(r"[\s+]+", value, maxsplit=1)
    return scheme.lower() in _SCHEMES and bool(rest) and bool(_UNLIKE_WORD.fullmatch(rest[0]))


def _signs(words: Collection[str], beside: Collection[str]) -> bool:
    """Whether the name is that of a signature by which an address holds for a time."""
    if not _SIGNATURE & set(words):
        return False
    return bool(_STORES & set(words)) or bool(_SIGNED_BESIDE & {one.lower() for one in beside})


def _is_handed_over(name: str, value: str, beside: Collection[str], path: str) -> bool:
    """Whether this is the code or the state of a log-in."""
    if name not in _HANDED_OVER:
        return False
    if _WAY_BACK.search(path):
        return len(value) >= _LEAST_HANDED_OVER
    is_pair = {one.lower() for one in beside} >= _HANDED_OVER
    return name == "code" and is_pair and len(value) >= _LEAST_CODE and not re.search(r"\s", value)


def looks_random(value: str, least: int = _LEAST_RANDOM) -> bool:
    """Whether the value is drawn by chance rather than written: a digest, a UUID, a key; no word, number or code."""
    if _UUID.fullmatch(value) or _HEX.fullmatch(value):
        return True
    if len(value) < least or not _KEY_CHARS.fullmatch(value) or _GROUPS.fullmatch(value):
        return False
    if not _is_mixed(value):
        return False
    worded = sum(len(word) for word in _WORD.findall(value) if _VOWELS.search(word) and not _PILE.search(word))
    return worded / len(value) < _WORD_SHARE


def _is_unbroken(value: str) -> bool:
    """Sixteen letters and digits or more in one row that are no words with a number."""
    return bool(_UNBROKEN.fullmatch(value)) and not _WORDS_AND_NUMBERS.fullmatch(value)


def _is_mixed(value: str) -> bool:
    """Letters with digits, or capitals in the middle of small letters."""
    has_digits, has_letters = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    turns = len(re.findall(r"[a-z][A-Z]|[a-zA-Z]\d|\d[a-zA-Z]", value))
    return has_letters and turns >= 2 and (has_digits or turns >= 4)
