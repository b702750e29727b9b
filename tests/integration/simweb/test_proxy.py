"""The web as a client sees it through the proxy, with certificates checked."""

import pytest
from curl_cffi import requests
from curl_cffi.requests.exceptions import CertificateVerifyError
from curl_cffi.requests.exceptions import ConnectionError as ConnectError

from simweb import SimWeb

HEART = "https://www.fdso.gov/safety/dpp4-heart-failure"


def test_a_page_is_served_over_verified_tls(client: requests.Session) -> None:
    """Any host of the world answers with a certificate that its CA signed."""
    response = client.get(HEART)

    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "Saxagliptin increases the risk of hospitalisation for heart failure" in response.text


def test_a_client_that_does_not_trust_the_ca_is_refused(web: SimWeb) -> None:
    """The certificates are real: without the CA the connection fails."""
    proxies = {"https": web.proxy_url}

    with pytest.raises(CertificateVerifyError):
        requests.get(HEART, proxies=proxies, timeout=30)


def test_an_unknown_host_does_not_exist(client: requests.Session) -> None:
    """CONNECT to an unknown name is answered 502, as by a proxy whose DNS fails."""
    with pytest.raises(ConnectError, match="502"):
        client.get("https://www.nowhere-at-all.org/")


def test_a_plain_unknown_host_is_502(client: requests.Session) -> None:
    """The same without TLS."""
    assert client.get("http://www.nowhere-at-all.org/").status_code == 502


def test_plain_http_leads_to_https(client: requests.Session) -> None:
    """A site's http address redirects to https."""
    response = client.get(HEART.replace("https", "http"), allow_redirects=False)

    assert (response.status_code, response.headers["location"]) == (301, HEART)


def test_a_moved_page_leads_to_its_place(client: requests.Session) -> None:
    """An old address redirects."""
    response = client.get("https://www.fdso.gov/safety/dpp4-joint-pain-2015")

    assert (response.status_code, response.url) == (200, "https://www.fdso.gov/safety/dpp4-joint-pain")


def test_a_second_visit_with_the_etag_is_304(client: requests.Session) -> None:
    """Pages can be revalidated."""
    etag = client.get(HEART).headers["etag"]

    response = client.get(HEART, headers={"if-none-match": etag})

    assert (response.status_code, response.content) == (304, b"")


def test_head_has_headers_and_no_body(client: requests.Session) -> None:
    """HEAD answers like GET without the page."""
    response = client.head(HEART)

    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["content-length"]) > 1_000


@pytest.mark.parametrize(
    ("url", "content_type", "charset", "words"),
    [
        pytest.param(
            "https://www.med.seito-u.ac.jp/naibunpi/kaisetsu/dpp4",
            "text/html; charset=shift_jis",
            "shift_jis",
            "DPP-4阻害薬は体重に影響しません。",
            id="Shift_JIS by header",
        ),
        pytest.param(
            "https://www.jdts-journal.jp/ronbun/27-315",
            "text/html",
            "euc-jp",
            "重症低血糖の増加は認められなかった。",
            id="EUC-JP by meta only",
        ),
    ],
)
def test_old_charsets(client: requests.Session, url: str, content_type: str, charset: str, words: str) -> None:
    """Two pages are not UTF-8, one of them says so only inside."""
    response = client.get(url)

    assert response.headers["content-type"] == content_type
    assert f'<meta charset="{charset}">'.encode() in response.content
    assert words in response.content.decode(charset)


def test_a_japanese_address_is_found_percent_encoded(client: requests.Session) -> None:
    """The Japanese encyclopaedia's page has a Japanese path."""
    response = client.get("https://ja.wikipedia.org/wiki/DPP-4阻害薬")

    assert response.status_code == 200
    assert '<html lang="ja">' in response.text


@pytest.mark.parametrize(
    ("host", "line"),
    [("www.fdso.gov", "Disallow: /internal/"), ("www.nimeth.gov", "Crawl-delay: 1"), ("www.jmetd.org", "Disallow:")],
)
def test_robots_differ_by_site(client: requests.Session, host: str, line: str) -> None:
    """One site forbids a path, one asks for slowness, most forbid nothing."""
    assert line in client.get(f"https://{host}/robots.txt").text.splitlines()


def test_a_doi_leads_to_the_publisher(client: requests.Session) -> None:
    """doi.org resolves the DOIs of the world."""
    response = client.get("https://doi.org/10.5555/cmt.2013.0417")

    assert (response.status_code, response.url) == (200, "https://journal.cardiomet-trials.org/articles/cardian-53")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://html.duckduckgo.com/html/?q=saxagliptin+heart+failure", "www.fdso.gov/safety/dpp4-heart-failure"),
        ("https://www.mojeek.com/search?q=saxagliptin+heart+failure", "https://www.fdso.gov/safety/dpp4-heart-failure"),
        ("https://api.semanticscholar.org/graph/v1/paper/PMID:90013417?fields=year", '"year": 2013'),
        ("https://api.openalex.org/works/pmid:90013417", '"publication_year": 2013'),
        ("https://pubmed.ncbi.nlm.nih.gov/90013417/", 'name="citation_pmid" content="90013417"'),
    ],
)
def test_engines_and_services_answer_at_their_real_names(client: requests.Session, url: str, words: str) -> None:
    """Engines, academic services and PubMed are reached by the names that a client has configured."""
    response = client.get(url)

    assert response.status_code == 200
    assert words in response.text


def test_the_internet_is_one_proxy_wide(web: SimWeb) -> None:
    """The sites of twenty-one topics, PubMed, 28 names of engines and services, and the door for people answer."""
    assert len(web.hosts) == 939
