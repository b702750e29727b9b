"""The simulated registries refuse requests that the real ones would refuse."""

import pytest

from simweb.apis.registries import hosts
from simweb.apis.registries.holdings import KEYS
from simweb.messages import Request

HOSTS = hosts()
SPARQL = {"accept": "application/sparql-results+json"}
RDAP = {"accept": "application/rdap+json"}


def status(host: str, target: str, headers: dict[str, str] | None = None, method: str = "GET") -> int:
    request = Request(method, "https", host, target, {"accept": "application/json", **(headers or {})})
    return HOSTS[host].answer(request).status


@pytest.mark.parametrize(
    ("host", "target", "headers", "expected"),
    [
        ("query.wikidata.org", "/sparql?format=json&query=SELECT%20*", SPARQL, 400),
        ("query.wikidata.org", "/sparql?format=json", SPARQL, 400),
        ("lookup.dbpedia.org", "/api/search?query=x&format=JSON&maxHits=5", {}, 400),
        ("lookup.dbpedia.org", "/api/search?query=&format=JSON", {}, 400),
        ("factchecktools.googleapis.com", "/v1alpha1/claims:search?query=x", {}, 403),
        ("data.iana.org", "/rdap/ipv4.json", {}, 404),
        ("rdap.verisign.com", "/com/v1/domain/misakino-works.com", {"accept": "text/html"}, 406),
        ("rdap.verisign.com", "/domain/nobody.com", RDAP, 404),
        ("crt.sh", "/?q=x.com&output=xml", {}, 400),
        ("laws.e-gov.go.jp", "/api/2/keyword?keyword=x&limit=0", {}, 400),
        ("kokkai.ndl.go.jp", "/api/speech?any=x&recordPacking=xml", {}, 400),
        ("kokkai.ndl.go.jp", "/api/speech?any=x&recordPacking=json&maximumRecords=101", {}, 400),
        ("api.info.gbiz.go.jp", "/hojin/v2/hojin?name=x", {}, 401),
        ("api.info.gbiz.go.jp", "/hojin/v2/hojin", {"x-hojininfo-api-token": KEYS["gbizinfo"]}, 400),
        ("api.edinet-fsa.go.jp", "/api/v2/documents.json?date=2026-06-26&type=2&Subscription-Key=x", {}, 401),
        ("ops.epo.org", "/3.2/rest-services/published-data/search/biblio?q=x", {}, 400),
        ("ops.epo.org", "/3.2/auth/accesstoken", {}, 400),
        ("api.uspto.gov", "/api/v1/patent/trials/proceedings/search?q=x", {}, 403),
    ],
)
def test_a_wrong_request_is_refused(host: str, target: str, headers: dict[str, str], expected: int) -> None:
    """An unknown or missing parameter, a wrong value or key: what Lyra would get wrong shows here."""
    assert status(host, target, headers) == expected


@pytest.mark.parametrize("target", ["getStatsList?appId=x&searchWord=x", "getStatsList?searchWord=x"])
def test_e_stat_refuses_within_an_answer(target: str) -> None:
    """Its status code is always 200."""
    request = Request("GET", "https", "api.e-stat.go.jp", f"/rest/3.0/app/json/{target}")

    response = HOSTS["api.e-stat.go.jp"].answer(request)

    assert (response.status, b'"STATUS": 100' in response.body) == (200, True)
