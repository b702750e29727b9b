"""Addresses: one form for one page, publishers, hidden private addresses, and the identifiers of papers."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.urls import (
    canonical,
    find_arxiv_ids,
    find_dois,
    find_pmids,
    host_of,
    is_private,
    is_public_suffix,
    is_web_url,
    is_within,
    joined,
    literal_address,
    origin_of,
    registrable_domain,
    resolver_kind,
    wire_host,
)


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("HTTPS://WWW.Nimeth.GOV/Topics", "https://www.nimeth.gov/Topics"),
        ("https://x.org", "https://x.org/"),
        ("https://x.org:443/a", "https://x.org/a"),
        ("http://x.org:80/a", "http://x.org/a"),
        ("http://x.org:8080/a", "http://x.org:8080/a"),
        ("https://x.org./a", "https://x.org/a"),
        ("https://x.org/a#section-2", "https://x.org/a"),
        ("https://x.org/a?b=2&a=1", "https://x.org/a?a=1&b=2"),
        ("https://x.org/a?utm_source=n&gclid=1&id=7", "https://x.org/a?id=7"),
        ("https://x.org/a?empty=", "https://x.org/a?empty="),
        ("https://user:secret@x.org/a", "https://x.org/a"),
        ("http://[2001:db8::1]:8080/a", "http://[2001:db8::1]:8080/a"),
        ("  https://x.org/a  ", "https://x.org/a"),
        ("https://ja.wikipedia.org/wiki/DPP-4阻", "https://ja.wikipedia.org/wiki/DPP-4%E9%98%BB"),
        ("https://ja.wikipedia.org/wiki/DPP-4%e9%98%bb", "https://ja.wikipedia.org/wiki/DPP-4%E9%98%BB"),
        ("https://x.org/a b/(c)@d", "https://x.org/a%20b/(c)@d"),
        ("https://日本語.jp/a", "https://xn--wgv71a119e.jp/a"),
        ("https://XN--WGV71A119E.jp/a", "https://xn--wgv71a119e.jp/a"),
        ("https://日本語。jp/a", "https://xn--wgv71a119e.jp/a"),
        ("https://ja.wikipedia.org/wiki/DPP-4%E9%98%BB", "https://ja.wikipedia.org/wiki/DPP-4%E9%98%BB"),
    ],
)
def test_one_page_has_one_address(url: str, form: str) -> None:
    """Host in small letters, no fragment, no tracking, sorted query, no default port and no credentials."""
    assert canonical(url) == form


@given(
    st.from_regex(
        r"https?://[a-z]{1,9}\.(org|co\.jp)(:[0-9]{1,4})?(/[a-z%~-]{0,9}){0,3}(\?[a-z]=[a-z&=+]{0,9})?", fullmatch=True
    )
)
def test_the_canonical_form_is_its_own(url: str) -> None:
    """Bringing it to its form again changes nothing: the derived id of a page does not wander."""
    assert canonical(canonical(url)) == canonical(url)


@pytest.mark.parametrize(
    "text", ["https://x.org", "HTTP://x.org/a", " https://x.org/a ", "https://例え.jp/", "http://[::1]/"]
)
def test_what_is_an_address(text: str) -> None:
    """http or https with a host."""
    assert is_web_url(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x.org",
        "ftp://x.org",
        "https://",
        "javascript:alert(1)",
        "https://x.org/a b",
        "http://[::1",
        "https://x.org:99999/",
        "https://x.org:port/",
    ],
)
def test_what_is_no_address(text: str) -> None:
    """Whatever passes here can be fetched and brought to its canonical form."""
    assert is_web_url(text) is False


@given(st.text(max_size=60).map(lambda text: f"https://{text}"))
def test_every_address_has_a_canonical_form(text: str) -> None:
    """A result page may hold anything: what counts as an address never breaks the pipeline later."""
    found = canonical(text) if is_web_url(text) else ""

    assert found == "" or found.startswith("https://")


@pytest.mark.parametrize(
    ("where", "domain"),
    [
        ("https://news.example.co.jp/a", "example.co.jp"),
        ("www.med.seito-u.ac.jp", "seito-u.ac.jp"),
        ("https://pubmed.ncbi.nlm.nih.gov/1/", "nih.gov"),
        ("NEWS.Example.COM", "example.com"),
        ("localhost", "localhost"),
        ("https://192.0.2.7/a", "192.0.2.7"),
        ("https://news.日本語.jp/a", "xn--wgv71a119e.jp"),
        ("日本語.jp", "xn--wgv71a119e.jp"),
        ("faß.de", "xn--fa-hia.de"),
        ("☃.net", "xn--n3h.net"),
        ("日" * 80, "日" * 80),
    ],
)
def test_the_publisher_is_the_registrable_domain(where: str, domain: str) -> None:
    """By the public suffix list, from an address or a host; a host without one stands for itself."""
    assert registrable_domain(where) == domain


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("com", True),
        ("co.uk", True),
        (".co.uk", True),
        ("gov.uk", True),
        ("xn--p1ai", True),
        ("example.co.uk", False),
        ("www.gov.uk", False),
        ("localhost", False),
        ("192.0.2.7", False),
        ("gov.invalid", False),
        ("", False),
    ],
)
def test_a_public_suffix_is_nobodys_own(name: str, expected: bool) -> None:
    """Names of machines at home and endings that are not on the list are no suffixes."""
    assert is_public_suffix(name) is expected


def test_the_host_of_an_address() -> None:
    """In small letters, without port and credentials."""
    assert host_of("https://user@WWW.X.org:8443/a") == "www.x.org"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "017700000001", "0x7f000001", "[::ffff:127.0.0.1]", "[::1]"],
)
def test_loopback_is_recognised_in_every_spelling(host: str) -> None:
    """Resolvers accept more than dotted quads; a fetch tool must not be pointed inside by any of them."""
    address = literal_address(f"http://{host}/")

    assert address is not None
    assert is_private(address) is True


@pytest.mark.parametrize("host", ["x.org", "1.2.3.4.5", "256.1.1.1", "4294967296", "0xzz", ""])
def test_names_are_no_literal_addresses(host: str) -> None:
    """They are the resolver's business."""
    assert literal_address(f"http://{host}/") is None


@pytest.mark.parametrize(
    ("address", "private"),
    [
        pytest.param("10.0.0.1", True, id="private"),
        pytest.param("169.254.169.254", True, id="link-local, cloud metadata"),
        pytest.param("100.64.0.1", True, id="shared"),
        pytest.param("192.0.0.8", True, id="protocol assignments"),
        pytest.param("192.88.99.1", True, id="6to4 relays"),
        pytest.param("224.0.0.1", True, id="multicast"),
        pytest.param("0.0.0.0", True, id="unspecified"),
        pytest.param("8.8.8.8", False, id="public IPv4"),
        pytest.param("2606:4700::1111", False, id="public IPv6"),
        pytest.param("2a00:1450:4001::8a", False, id="public IPv6, upper half"),
        pytest.param("fe80::1", True, id="link-local IPv6"),
        pytest.param("fd00::1", True, id="unique local"),
        pytest.param("fec0::1", True, id="site-local, first"),
        pytest.param("feff:ffff::1", True, id="site-local, last"),
        pytest.param("ff02::1", True, id="multicast IPv6"),
        pytest.param("2001:db8::1", True, id="documentation"),
        pytest.param("3fff:fff::1", True, id="documentation, the new one"),
        pytest.param("100::1", True, id="discard"),
        pytest.param("4000::1", True, id="unallocated"),
        pytest.param("5f00::1", True, id="segment routing"),
        pytest.param("::", True, id="unspecified IPv6"),
        pytest.param("::1", True, id="loopback IPv6"),
        pytest.param("::10.0.0.1", True, id="compatible, private"),
        pytest.param("::8.8.8.8", True, id="compatible is unused: not public at all"),
        pytest.param("::ffff:10.0.0.1", True, id="mapped, private"),
        pytest.param("::ffff:8.8.8.8", False, id="mapped, public"),
        pytest.param("::ffff:0:10.0.0.1", True, id="translated, private"),
        pytest.param("::ffff:0:8.8.8.8", True, id="translated is not an address of the internet"),
        pytest.param("64:ff9b::10.0.0.1", True, id="NAT64, private"),
        pytest.param("64:ff9b::127.0.0.1", True, id="NAT64, loopback"),
        pytest.param("64:ff9b::8.8.8.8", False, id="NAT64, public"),
        pytest.param("64:ff9b:1::10.0.0.1", True, id="local NAT64, private"),
        pytest.param("64:ff9b:1:ffff:ffff:ffff:808:808", True, id="local NAT64 stays in this network"),
        pytest.param("2002:a00:1::1", True, id="6to4, private"),
        pytest.param("2002:808:808::1", False, id="6to4, public"),
        pytest.param("2001:0:808:808:0:0:f5ff:fffe", True, id="Teredo, client 10.0.0.1"),
        pytest.param("2001:0:808:808:0:0:f7f7:f7f7", True, id="Teredo is not globally reachable"),
        pytest.param("2606:4700::5efe:10.0.0.1", True, id="ISATAP, private"),
        pytest.param("2606:4700::200:5efe:127.0.0.1", True, id="ISATAP, loopback"),
        pytest.param("2606:4700::200:5efe:8.8.8.8", False, id="ISATAP, public"),
    ],
)
def test_what_is_not_on_the_public_internet(address: str, private: bool) -> None:
    """Of IPv6 only 2000::/3 is public, and an IPv4 address inside it is judged like any other."""
    assert is_private(ipaddress.ip_address(address)) is private


@pytest.mark.parametrize(
    ("text", "dois"),
    [
        ("see https://doi.org/10.5555/JMETD.2018.1102.", ["10.5555/jmetd.2018.1102"]),
        ("doi:10.1016/S0140-6736(13)61730-X)", ["10.1016/s0140-6736(13)61730-x"]),
        ("(10.1000/abc(def))", ["10.1000/abc(def)"]),
        ("https://doi.org/10.1000%2Fabc", ["10.1000/abc"]),
        ("10.1000/a、10.1000/b。10.1000/cを参照（10.1000/d）", ["10.1000/a", "10.1000/b", "10.1000/c", "10.1000/d"]),
        ("10.1000/a and 10.1000/b, 10.1000/A", ["10.1000/a", "10.1000/b"]),
        ("version 10.12/3", []),
        (
            "Small, 1998. https://doi.org/10.1002/(SICI)1097-4571(199812)49:14<1290::AID-ASI4>3.0.CO;2-K.",
            ["10.1002/(sici)1097-4571(199812)49:14<1290::aid-asi4>3.0.co;2-k"],
        ),
        (
            "<b>10.1175/1520-0469(1993)050<0749:TLOTSO>2.0.CO;2</b>",
            ["10.1175/1520-0469(1993)050<0749:tlotso>2.0.co;2"],
        ),
        ("<i>10.1056/nejmoa1307684</i><b>2</b>", ["10.1056/nejmoa1307684"]),
    ],
)
def test_dois_are_found_once_in_small_letters(text: str, dois: list[str]) -> None:
    """Without the punctuation of the sentence around them; brackets that belong to them stay."""
    assert find_dois(text) == dois


@pytest.mark.parametrize(
    ("text", "pmids"),
    [
        ("https://pubmed.ncbi.nlm.nih.gov/23992601/", ["23992601"]),
        ("http://www.ncbi.nlm.nih.gov/pubmed/23992601", ["23992601"]),
        ("PMID: 23992601; PMID 1234567", ["23992601", "1234567"]),
        ("23992601", []),
    ],
)
def test_pubmed_ids(text: str, pmids: list[str]) -> None:
    """By address or by their label, never a bare number."""
    assert find_pmids(text) == pmids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("https://arxiv.org/abs/2101.00001v2", ["2101.00001"]),
        ("arXiv:2101.00001 and https://arxiv.org/pdf/math.GT/0309136", ["2101.00001", "math.gt/0309136"]),
        ("2101.00001", []),
    ],
)
def test_arxiv_ids_without_version(text: str, ids: list[str]) -> None:
    """Versions of one paper are one paper."""
    assert find_arxiv_ids(text) == ids


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://doi.org/10.1000/x", "doi"),
        ("http://dx.doi.org/10.1000/x", "doi"),
        ("https://pubmed.ncbi.nlm.nih.gov/23992601/", "pmid"),
        ("https://www.arxiv.org/abs/2101.00001", "arxiv"),
        ("https://journal.example/doi.org/10.1000/x", None),
        ("doi.org", None),
    ],
)
def test_address_that_is_an_identifier_is_told_from_a_page(url: str, kind: str | None) -> None:
    """By its host alone: a journal's own page of the same paper is a page."""
    assert resolver_kind(url) == kind


def test_origin_keeps_scheme_and_port() -> None:
    """Each scheme, host and port has rules of its own; who asks is no part of it."""
    assert origin_of("HTTP://user@Example.org:8080/a?b") == "http://example.org:8080"


@pytest.mark.parametrize(
    ("host", "expected"),
    [("example.org", True), ("a.b.example.org", True), ("badexample.org", False), ("org", False)],
)
def test_host_lies_within_its_domain(host: str, expected: bool) -> None:
    """A name that merely ends alike is another's."""
    assert is_within(host, "example.org") is expected


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "address",
    [
        pytest.param("http://" + "\u0300\u0315" * 250_000, id="pile-of-marks"),
        pytest.param("http:/\n/" + "\u0300\n\u0315" * 250_000, id="with-line-ends-inside"),
        pytest.param("http://x.org/\ud800", id="half-a-character"),
    ],
)
def test_what_cannot_be_an_address_is_none(address: str) -> None:
    """A pile of marks takes quadratic time to fold, half a character cannot be sent."""
    assert (is_web_url(address), joined("https://x.org/", address)) == (False, None)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (" b#c ", "https://x.org/b#c"),
        ("//y.org/é", "https://y.org/é"),
        ("http://[", None),
    ],
)
def test_references_are_joined_to_their_page(reference: str, expected: str | None) -> None:
    """One that cannot be read leads nowhere."""
    assert joined("https://x.org/a", reference) == expected


@pytest.mark.timeout(5)
def test_a_name_longer_than_any_is_left_as_it_is() -> None:
    """One character of it may fold into eighteen, and encoding them all takes quadratic time."""
    assert wire_host("\ufdfa" * 50_000) == "\ufdfa" * 50_000


def test_a_number_of_thousands_of_digits_is_no_ip_address() -> None:
    """Python refuses to read it."""
    assert literal_address("http://" + "1" * 5_000) is None


@pytest.mark.timeout(5)
def test_brackets_after_a_doi_are_cut_in_linear_time() -> None:
    """However many there are."""
    assert find_dois("10.1234/a(b)" + ")" * 500_000) == ["10.1234/a(b)"]
