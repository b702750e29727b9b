"""Addresses: one canonical form, registrable domains, and the scholarly identifiers inside them."""

import contextlib
import ipaddress
import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

_TRACKING = re.compile(r"^(utm_\w+|gclid|fbclid|msclkid|yclid|mc_[ce]id|igshid|spm|ref_src)$")
# Japanese text has no spaces: a DOI ends where its script begins. Those of the 1990s end in a part in angle brackets
# (ANSI Z39.56), without which all papers of an issue would be one.
_DOI = re.compile(
    r"10\.\d{4,9}/[^\s\"'<>?#\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]+(?:<[^\s\"'<>]{1,40}>\d\.\d\.\w{2};\d(?:-\w)?)?",
    re.IGNORECASE,
)
_DOI_TAIL = ".,;:)]}」』。、"
_PMID_HOST = re.compile(r"^(?:pubmed\.ncbi\.nlm\.nih\.gov/|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/)(\d{1,9})")
_PMID_WORD = re.compile(r"\bPMID:?\s*(\d{4,9})\b", re.IGNORECASE)
_ARXIV_NEW = r"\d{4}\.\d{4,5}"
_ARXIV_OLD = r"[a-z-]+(?:\.[A-Z]{2})?/\d{7}"
# Of both kinds, without a version; to be matched in any case of letters.
ARXIV_ID = rf"{_ARXIV_NEW}|{_ARXIV_OLD}"
_ARXIV = re.compile(rf"(?:arxiv\.org/(?:abs|pdf|html)/|\barxiv:\s*)({ARXIV_ID})(?:v\d+)?", re.IGNORECASE)
# Where the identifier of a paper leads, and the hosts whose addresses are identifiers rather than pages.
RESOLVERS = {
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "arxiv": "https://arxiv.org/abs/{}",
}
_RESOLVER_HOSTS = {
    "doi.org": "doi",
    "www.doi.org": "doi",
    "dx.doi.org": "doi",
    "pubmed.ncbi.nlm.nih.gov": "pmid",
    "arxiv.org": "arxiv",
    "www.arxiv.org": "arxiv",
}


def canonical(url: str) -> str:
    """The one form in which an address is stored: no fragment, no tracking, sorted query, lower-case host."""
    parts = urlsplit(url.strip())
    host = wire_host(parts.hostname or "")
    port = f":{parts.port}" if parts.port and (parts.scheme, parts.port) not in _DEFAULT_PORTS else ""
    pairs = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(k)]
    bracketed = f"[{host}]" if ":" in host else host
    return urlunsplit(
        (parts.scheme.lower(), bracketed + port, escaped(parts.path) or "/", urlencode(sorted(pairs)), "")
    )


def escaped(piece: str) -> str:
    """A path or query as it is sent, whether it was written in its own script or escaped already."""
    return _ESCAPE.sub(lambda escape: escape.group().upper(), quote(piece, safe=KEPT_AS_IS))


_ESCAPE = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
# What browsers let stand in a path or query, and the sign of what is escaped already.
KEPT_AS_IS = "/?%:@!$&'()*+,;=~-._[]|"
_DEFAULT_PORTS = {("http", 80), ("https", 443)}


def is_web_url(text: str) -> bool:
    """Whether the text is an http(s) address with a host."""
    if _IN_NO_ADDRESS.search(text):
        return False
    try:
        parts = urlsplit(text.strip())
        _ = parts.port  # a wrong one raises when it is asked for
    except ValueError:
        return False
    return parts.scheme.lower() in {"http", "https"} and bool(parts.hostname) and " " not in text.strip()


def joined(base: str, reference: str) -> str | None:
    """Where a reference on a page leads; none where it cannot be read as an address."""
    if _IN_NO_ADDRESS.search(reference):
        return None
    try:
        return urljoin(base, reference.strip())
    except ValueError:
        return None


# Halves of characters cannot be sent; a pile of marks is cut nowhere, and to fold a name of them takes quadratic time.
_IN_NO_ADDRESS = re.compile(r"[\ud800-\udfff]|(?:[^\w\s\x00-\x7f][\t\r\n]*){64}")
_LONGEST_NAME = 253  # RFC 1035


def wire_host(host: str) -> str:
    """A name as it is sent, so that 日本語.jp and xn--wgv71a119e.jp are one; what cannot be a name stays as it is."""
    name = host.strip().lower().rstrip(".")
    if name.isascii() or len(name) > _LONGEST_NAME:
        return name
    import idna  # lazy: its tables are large, and few names need them

    for encode in (
        partial(idna.encode, uts46=True),
        partial(str.encode, encoding="idna"),
    ):  # as browsers; ☃.net as of old
        with contextlib.suppress(UnicodeError):
            return encode(name).decode("ascii")
    return name


def host_of(url: str) -> str:
    return wire_host(urlsplit(url).hostname or "")


def origin_of(url: str) -> str:
    """Scheme, host and port as they stand in the address, without a name or password before them."""
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2].lower()}"


def is_within(host: str, domain: str) -> bool:
    """Whether a host is that domain or lies below it."""
    return host == domain or host.endswith(f".{domain}")


@cache
def _extractor() -> "TLDExtract":
    import tldextract  # lazy: parses the public suffix list

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def registrable_domain(url_or_host: str) -> str:
    """The publisher's domain (`news.example.co.jp` → `example.co.jp`); the host itself where there is none."""
    return _domain_above(host_of(url_or_host) if "://" in url_or_host else wire_host(url_or_host))


@lru_cache(maxsize=20_000)
def _domain_above(host: str) -> str:
    return _extractor()(host).top_domain_under_public_suffix or host


def is_public_suffix(host: str) -> bool:
    """Whether the name is nobody's own, but what others register their names below: com, co.uk, go.jp."""
    found = _extractor()(host)
    return bool(found.suffix) and not found.domain


def literal_address(url: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address where the host is one, in any spelling a resolver would accept."""
    host = host_of(url).strip("[]").split("%")[0]
    if len(host) > _LONGEST_NAME:
        return None
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return _legacy_ipv4(host)


def _legacy_ipv4(host: str) -> ipaddress.IPv4Address | None:
    """inet_aton spellings: 127.1, 0x7f.0.0.1, 2130706433."""
    pieces = host.split(".")
    if not all(re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", piece) for piece in pieces) or len(pieces) > 4:
        return None
    numbers = [
        int(p, 16)
        if p[:2].lower() == "0x"
        else int(p, 8)
        if p[0] == "0" and p.isdigit() and set(p) <= set("01234567")
        else int(p)
        for p in pieces
    ]
    value = 0
    for number in numbers[:-1]:
        if number > 255:
            return None
        value = value * 256 + number
    value = value * 256 ** (5 - len(numbers)) + numbers[-1]
    return ipaddress.IPv4Address(value) if value < 2**32 else None


# Public by the lists of Python 3.11, and yet not (IANA's registries of special-purpose addresses).
_ALSO_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def is_private(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether the address is not on the public internet.

    Of IPv6 only 2000::/3 is public, and what carries an IPv4 address is no more public than that: mapped and NAT64
    addresses stand for it, 6to4 and ISATAP lead to it. Teredo is not globally reachable (IANA).
    """
    if isinstance(address, ipaddress.IPv6Address):
        stands_for = address.ipv4_mapped or (_last_32_bits(address) if address in _NAT64 else None)
        if stands_for is not None:
            return is_private(stands_for)
        if address not in _GLOBAL_UNICAST or any(is_private(inner) for inner in _carried(address)):
            return True
    is_special = any(address in network for network in _ALSO_SPECIAL if network.version == address.version)
    return is_special or not address.is_global or address.is_multicast


def _carried(address: ipaddress.IPv6Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses to which a tunnel would take a packet for this one."""
    is_isatap = (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP
    found = (address.sixtofour, _last_32_bits(address) if is_isatap else None, *(address.teredo or ()))
    return tuple(inner for inner in found if inner is not None)


def _last_32_bits(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)


def find_dois(text: str) -> list[str]:
    """Every DOI in a text or address, lower-cased, in order, once."""
    found = [_trim_doi(match.group()).lower() for match in _DOI.finditer(unquote(text))]
    return list(dict.fromkeys(found))


def _trim_doi(doi: str) -> str:
    """Without the punctuation that ends a sentence; a bracket that was opened inside is part of it."""
    end, surplus = len(doi), doi.count(")") - doi.count("(")
    while end and doi[end - 1] in _DOI_TAIL and (doi[end - 1] != ")" or surplus > 0):
        surplus -= doi[end - 1] == ")"
        end -= 1
    return doi[:end]


def resolver_kind(url: str) -> str | None:
    """The kind of identifier that an address resolves, none where it is an address like any other."""
    return _RESOLVER_HOSTS.get(host_of(url)) if is_web_url(url) else None


def find_pmids(text: str) -> list[str]:
    """Every PubMed id in a text or address."""
    at_host = _PMID_HOST.match(re.sub(r"^https?://", "", text.strip(), flags=re.IGNORECASE))
    found = ([at_host.group(1)] if at_host else []) + _PMID_WORD.findall(text)
    return list(dict.fromkeys(found))


def find_arxiv_ids(text: str) -> list[str]:
    """Every arXiv id in a text or address, without its version."""
    return list(dict.fromkeys(match.group(1).lower() for match in _ARXIV.finditer(text)))
