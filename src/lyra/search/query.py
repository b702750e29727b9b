"""A query: its language, its words and operators, how an engine is asked it, and whether it names an address."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from lyra import text
from lyra.errors import InvalidParams
from lyra.ids import derived_id
from lyra.model.page import Identifier
from lyra.urls import ARXIV_ID, find_dois, host_of, is_private, is_web_url, is_within, literal_address

_KANA = re.compile("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_CURLY_QUOTES = str.maketrans("“”„‟＂", '"""""')
_PART = re.compile(
    r'(?P<sign>[+-](?=[^\s+-]))?(?:(?P<operator>site|filetype|intitle|after):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
_SITE = re.compile(r"[\w.-]+\.[\w-]{2,}(?:/\S*)?|[a-z]{2,24}", re.IGNORECASE)
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_DOI = re.compile(r"(?:doi(?:\s*:\s*|\s+)|(?:https?://)?(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_PMID = re.compile(r"(?:PMID:?\s*|(?:https?://)?pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,9})/?", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv(?:\s*:\s*|\s+)|(?:https?://)?(?:www\.)?arxiv\.org/(?:abs|pdf|html)/)?"
    rf"({ARXIV_ID})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"(?!https?:)[a-z][a-z0-9+.-]*://\S*|(?:javascript|data|mailto|about|blob|view-source|file):\S+", re.IGNORECASE
)
_BEGUN = re.compile(r"https?:(?:\s*[\\/]|\S*[./\\:\[])", re.IGNORECASE)
# Addresses without a scheme, as people copy them: `//host/…`, `user:password@host`, `host:port/…`, `host/…?name=…`.
_NETWORK_PATH = re.compile(r"(?://|\\\\)[\w.\[-]\S*")
_WITH_PASSWORD = re.compile(r"[^\s/@:]+:[^\s/@]*@[\w\[][^\s@]*")
_HOST_AND_REST = re.compile(
    r"(?P<host>\[[0-9a-f:.%\w]*\]|[\w.-]+)(?P<port>:\d{1,5})?(?P<rest>[/\\?#]\S*)?", re.IGNORECASE
)
_DOTTED_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
_IPV6 = re.compile(r"[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*(?:%\w+)?", re.IGNORECASE)
_LOCAL_NAME = re.compile(r"(?:.+\.)?(?:localhost|local|internal|intranet|lan|corp|home|home\.arpa)", re.IGNORECASE)
# Fewer parts or smaller numbers are more often a ratio, a version or a date than the short form of an address.
_WHOLE_IPV4 = re.compile(r"(?:[^.]+\.){3}[^.]+|127\..*|.*0x.*|\d{9,10}", re.IGNORECASE)


def query_language(query: str) -> str:
    """`ja`, `zh` or `en`; two nouns in kanji side by side have no kana and are still Japanese.

    Kanji that Japanese encodings lack, such as the simplified forms of the mainland, make a query Chinese.
    """
    if _KANA.search(query):
        return "ja"
    han = _HAN.findall(query)
    if not han:
        return "en"
    return "ja" if _is_japanese_set("".join(han)) else "zh"


def is_plain_latin(query: str) -> bool:
    """Whether the letters are Latin and nothing else."""
    return bool(_LATIN.search(query)) and not _KANA.search(query) and not _HAN.search(query)


def _is_japanese_set(han: str) -> bool:
    try:
        han.encode("shift_jis")
    except UnicodeEncodeError:
        return False
    return True


class Operator(StrEnum):
    """What a part of a query asks for."""

    WORD = "word"
    PHRASE = "phrase"
    SITE = "site"
    FILETYPE = "filetype"
    INTITLE = "intitle"
    AFTER = "after"


class Sign(StrEnum):
    NONE = ""
    REQUIRE = "+"
    EXCLUDE = "-"


@dataclass(frozen=True, slots=True)
class QueryPart:
    """One word, phrase or `operator:value`, perhaps required or excluded."""

    operator: Operator
    value: str
    sign: Sign = Sign.NONE

    def __str__(self) -> str:
        quoted = f'"{self.value}"' if self.operator is Operator.PHRASE or " " in self.value else self.value
        prefix = "" if self.operator in {Operator.WORD, Operator.PHRASE} else f"{self.operator}:"
        return f"{self.sign}{prefix}{quoted}"


@dataclass(frozen=True, slots=True)
class QueryDialect:
    """What an engine understands: operators, `+` and `-`, and how long a query may be."""

    operators: frozenset[Operator]
    signs: frozenset[Sign] = frozenset()
    max_chars: int = 400


@dataclass(frozen=True, slots=True)
class RenderedQuery:
    """A query in an engine's own words; `dropped` names what the engine cannot be given."""

    text: str
    dropped: tuple[QueryPart, ...] = ()
    is_cut: bool = False


_OPERATORS = frozenset(Operator)


def normalise_query(query: str) -> str:
    """NFKC, one kind of quotes and white space; refuses a query without any word character or symbol."""
    folded = text.normalise(query.translate(_CURLY_QUOTES)).strip()
    if not any(unicodedata.category(char)[0] in "LNS" for char in folded):
        raise InvalidParams("The query is empty.", remedy="Give at least one word, URL, DOI, PMID or arXiv id.")
    return folded


def parse_query(query: str) -> tuple[QueryPart, ...]:
    """The parts of a query in order; an unbalanced quote counts as none, an operator without value as a word."""
    folded = normalise_query(query)
    if folded.count('"') % 2:
        position = folded.rindex('"')
        folded = f"{folded[:position]} {folded[position + 1 :]}"
    return tuple(part for match in _PART.finditer(folded) if (part := _part(match)).value)


_TERM_OPERATORS = frozenset({Operator.WORD, Operator.PHRASE, Operator.INTITLE})


def plain_terms(query: str) -> str:
    """The words that a query asks for, without operators and what it excludes; for searches that know no operators."""
    parts = (part for part in parse_query(query) if part.operator in _TERM_OPERATORS and part.sign is not Sign.EXCLUDE)
    return " ".join(part.value for part in parts)


def _part(match: re.Match[str]) -> QueryPart:
    sign = Sign(match["sign"] or "")
    phrase = match["phrase"]
    value = (match["word"] if phrase is None else phrase).strip()
    name = (match["operator"] or "").lower()
    # A letter that only looks alike in another case (ı) makes no operator.
    if name in _OPERATORS and _is_valid(Operator(name), value):
        return QueryPart(Operator(name), value, sign)
    if name:
        return QueryPart(Operator.WORD, f"{name}:{value}" if value else name, sign)
    return QueryPart(Operator.WORD if phrase is None else Operator.PHRASE, value, sign)


def _is_valid(operator: Operator, value: str) -> bool:
    if operator is Operator.SITE:
        return bool(_SITE.fullmatch(value))
    return bool(_DAY.fullmatch(value)) if operator is Operator.AFTER else bool(value)


def render_query(parts: Iterable[QueryPart], dialect: QueryDialect) -> RenderedQuery:
    """The query in the dialect. What an engine lacks becomes plain words, or is dropped where words would mislead."""
    kept: list[str] = []
    dropped: list[QueryPart] = []
    for part in parts:
        written = _written(part, dialect)
        if written is None:
            dropped.append(part)
        else:
            kept.append(written)
    whole = " ".join(kept)
    if len(whole) <= dialect.max_chars:
        return RenderedQuery(whole, tuple(dropped))
    cut = whole[: dialect.max_chars + 1].rpartition(" ")[0] or whole[: dialect.max_chars]
    balanced = cut.replace('"', "") if cut.count('"') % 2 else cut
    return RenderedQuery(balanced, tuple(dropped), is_cut=True)


def _written(part: QueryPart, dialect: QueryDialect) -> str | None:
    if part.sign is Sign.EXCLUDE and Sign.EXCLUDE not in dialect.signs:
        return None
    sign = part.sign if part.sign in dialect.signs else Sign.NONE
    is_required_word = part.sign is Sign.REQUIRE and part.operator is Operator.WORD
    if is_required_word and not sign and Operator.PHRASE in dialect.operators:
        return f'"{part.value}"'  # engines without `+` require what is quoted
    if part.operator is Operator.WORD or part.operator in dialect.operators:
        return str(QueryPart(part.operator, part.value, sign))
    if part.sign is Sign.EXCLUDE or part.operator in {Operator.SITE, Operator.AFTER}:
        return None
    return part.value


def satisfies_operators(parts: Iterable[QueryPart], url: str, day: str | None = None) -> bool:
    """Whether a result satisfies the `site:` and `after:` parts, for engines that lack them.

    A result without a date is not held against `after:`.
    """
    host, given = host_of(url), tuple(parts)
    if day and any(part.operator is Operator.AFTER and day < part.value for part in given):
        return False
    wanted = [part for part in given if part.operator is Operator.SITE]
    if any(part.sign is Sign.EXCLUDE and _is_under(host, part.value) for part in wanted):
        return False
    included = [part for part in wanted if part.sign is not Sign.EXCLUDE]
    return not included or any(_is_under(host, part.value) for part in included)


def _is_under(host: str, site: str) -> bool:
    return is_within(host, site.lower().partition("/")[0])


def cache_key(engine_id: str, query: str) -> str:
    """Names an engine's answer to a query, whatever the spacing and width of its characters."""
    return derived_id("serp", engine_id, " ".join(str(part) for part in parse_query(query)).casefold())


@dataclass(frozen=True, slots=True)
class TargetUrl:
    """The query is an address: fetch it instead of asking engines."""

    url: str


def recognise_target(query: str) -> TargetUrl | Identifier | None:
    """The target that the whole query names, or none where it is a question."""
    bare = query.strip()
    if " " in bare and not bare.lower().startswith(("doi", "pmid", "arxiv")):
        return None
    if (match := _DOI.fullmatch(bare)) and (found := find_dois(match[1])):
        return Identifier("doi", found[0])
    if match := _PMID.fullmatch(bare):
        return Identifier("pmid", match[1])
    if match := _ARXIV.fullmatch(bare):
        return Identifier("arxiv", match[1].lower())
    return TargetUrl(bare) if is_web_url(bare) else None


def reject_foreign_address(query: str) -> None:
    """An address that is not http or https must not reach an engine as words: it may name a file of this machine, and
    `http:/\\…`, which browsers open, a machine of this network. One with a password in it must not be stored.

    Takes the query as it was given: browsers drop tabs and line ends inside an address.
    """
    spaced = text.normalise(query).strip()
    joined = text.normalise(re.sub(r"[\t\r\n\f\v]", "", query)).strip()
    if is_web_url(spaced) and "@" in urlsplit(spaced).netloc:
        raise InvalidParams(
            "Addresses that carry a user name or password are not fetched.",
            remedy="Give the address without them; a page behind a log-in waits for a person in the queue.",
        )
    is_split = joined != spaced and is_web_url(joined)
    if is_split or any(_is_foreign(one) or _is_broken_address(one) for one in (spaced, joined)):
        raise InvalidParams(
            "Only addresses of the web (http, https) can be fetched.",
            remedy="Give an http or https address, a DOI, a PMID, an arXiv id, or words to search for.",
        )


def _is_foreign(bare: str) -> bool:
    """Whether the whole text is an address that is none of the web, or has no scheme and is more than a name."""
    if isinstance(recognise_target(bare), Identifier):
        return False
    whole = (_FOREIGN, _NETWORK_PATH, _WITH_PASSWORD)
    return any(form.fullmatch(bare) for form in whole) or _is_bare_address(bare.replace("。", "."))


def _is_bare_address(bare: str) -> bool:
    if _IPV6.fullmatch(bare):
        return literal_address(f"http://[{bare}]/") is not None
    found = _HOST_AND_REST.fullmatch(bare)
    if found is None:
        return False
    host, port, rest = found["host"], found["port"], found["rest"] or ""
    if host.startswith("["):
        return literal_address(f"http://{host}/") is not None
    if _WHOLE_IPV4.fullmatch(host) and (address := literal_address(f"http://{host}/")):
        return bool(port) or (is_private(address) and (not host.isdecimal() or bool(rest)))
    if _LOCAL_NAME.fullmatch(host) or (port and rest):
        return bool(port or rest)
    return bool(_DOTTED_NAME.fullmatch(host)) and (bool(port) or bool(re.search(r"\?.*=", rest)))


def _is_broken_address(bare: str) -> bool:
    """Whether the text begins as an address of the web and is none: browsers forgive wrong slashes and spaces."""
    begun = _BEGUN.match(bare)
    if begun is None:
        return False
    first = bare.split(maxsplit=1)[0]
    return not is_web_url(first) or "\\" in urlsplit(first).netloc
