"""How each registry is asked, and what a broken answer becomes."""

import base64
from typing import Any

import pytest

from lyra.model.page import FetchOutcome
from lyra.model.search import SearchOutcome
from lyra.registries import directory
from lyra.registries.api import Registry
from lyra.registries.question import read_question
from lyra.settings import Settings
from lyra.settings.apis import Registries
from tests.api_fakes import MemoryCooldown, NoWait, Played

SECRETS = Registries(
    estat_key="estat-secret", gbizinfo_key="gbiz-secret", edinet_key="edinet-secret", epo_key="epo-id",
    epo_secret_key="epo-secret", uspto_key="uspto-secret", factcheck_key="fact-secret",
)  # fmt: skip
# A query that each registry accepts.
QUERIES = {
    "wikidata": "Misakino Works", "dbpedia": "Misakino Works", "rdap": "misakino.com", "crtsh": "misakino.com",
    "estat": "出荷額", "egov_law": "軸受", "diet_minutes": "軸受", "gbizinfo": "美咲野", "edinet": "美咲野 2026-06-26",
    "epo_ops": 'ceramic "bearing"', "ptab": "ceramic", "fact_checks": "asbestos",
}  # fmt: skip
BODIES = {
    "html": b"<!doctype html><title>Maintenance</title>", "half": b'{"results": [{"id"', "null": b"null",
    "numbers": b"[1, 2]", "other-shape": b'{"a": {"b": []}}', "binary": b"\xff\x00",
}  # fmt: skip
LENIENT = {
    ("fact_checks", b"null"),
    ("fact_checks", b"[1, 2]"),
    ("fact_checks", b'{"a": {"b": []}}'),
    ("crtsh", b"[1, 2]"),
}
BROKEN = [
    pytest.param(name, body, id=f"{name}-{kind}")
    for name in sorted(QUERIES)
    for kind, body in BODIES.items()
    if (name, body) not in LENIENT
]
BOOTSTRAP = {"services": [[["com"], ["http://plain.example/", "https://rdap.example/com"]]]}


def registry(name: str, played: Played, clock: NoWait) -> Registry:
    built = directory.build(played, clock, MemoryCooldown(clock), SECRETS)
    return next(one for one in built.registries if one.facts.name == name)


def prepare(name: str, played: Played) -> None:
    """What a registry asks for before its records."""
    if name == "rdap":
        played.json(BOOTSTRAP)
    if name == "epo_ops":
        played.json({"access_token": "token", "expires_in": "1199"})


@pytest.mark.parametrize(
    ("name", "url", "headers"),
    [
        ("dbpedia", "https://lookup.dbpedia.org/api/search?query=Misakino+Works&format=JSON&maxResults=5", {}),
        ("crtsh", "https://crt.sh/?q=misakino.com&output=json&deduplicate=Y", {}),
        (
            "estat",
            "https://api.e-stat.go.jp/rest/3.0/app/json/getStatsList?appId=estat-secret"
            "&searchWord=%E5%87%BA%E8%8D%B7%E9%A1%8D&limit=5",
            {},
        ),
        (
            "egov_law",
            "https://laws.e-gov.go.jp/api/2/keyword?keyword=%E8%BB%B8%E5%8F%97&limit=5&sentences_limit=5"
            "&response_format=json",
            {},
        ),
        (
            "diet_minutes",
            "https://kokkai.ndl.go.jp/api/speech?any=%E8%BB%B8%E5%8F%97&maximumRecords=5&recordPacking=json",
            {},
        ),
        (
            "gbizinfo",
            "https://api.info.gbiz.go.jp/hojin/v2/hojin?name=%E7%BE%8E%E5%92%B2%E9%87%8E&page=1&limit=10",
            {"x-hojininfo-api-token": "gbiz-secret"},
        ),
        (
            "edinet",
            "https://api.edinet-fsa.go.jp/api/v2/documents.json?date=2026-06-26&type=2&Subscription-Key=edinet-secret",
            {},
        ),
        (
            "ptab",
            "https://api.uspto.gov/api/v1/patent/trials/proceedings/search?q=ceramic&limit=5&offset=0",
            {"x-api-key": "uspto-secret"},
        ),
        (
            "fact_checks",
            "https://factchecktools.googleapis.com/v1alpha1/claims:search?query=asbestos&languageCode=en&pageSize=5",
            {"x-goog-api-key": "fact-secret"},
        ),
    ],
)
async def test_the_request_is_as_documented(
    played: Played, clock: NoWait, name: str, url: str, headers: dict[str, str]
) -> None:
    """A key travels as a header wherever the service takes one; every request has the registry's own gate."""
    played.gives(FetchOutcome.NOT_FOUND, status_code=404)

    await registry(name, played, clock).search(read_question(QUERIES[name]), 5, cause_id="s_1")

    (asked,) = played.asked
    assert (asked.url, asked.gate, asked.cause_id) == (url, f"api:{name}", "s_1")
    assert dict(asked.headers) == {"accept": "application/json", **headers}


async def test_a_domain_is_asked_for_where_iana_says(played: Played, clock: NoWait) -> None:
    """The list is asked for once; plain http is passed over; a registry without RDAP is named."""
    played.json(BOOTSTRAP)
    played.gives(FetchOutcome.NOT_FOUND, status_code=404)
    rdap = registry("rdap", played, clock)

    await rdap.search(read_question("misakino.com"), 5)
    answer = await rdap.search(read_question("misakino.jp"), 5)

    assert [one.url for one in played.asked] == [
        "https://data.iana.org/rdap/dns.json",
        "https://rdap.example/com/domain/misakino.com",
    ]
    assert (answer.outcome, answer.reason) == (
        SearchOutcome.FAILED,
        "The registry of .jp offers no RDAP (IANA's list).",
    )


async def test_patents_are_asked_for_with_a_token(played: Played, clock: NoWait) -> None:
    """Log-in by form, kept nowhere; then a bearer token; the log-in serves for the next question too."""
    prepare("epo_ops", played)
    played.gives(FetchOutcome.NOT_FOUND, status_code=404)
    epo = registry("epo_ops", played, clock)

    await epo.search(read_question(QUERIES["epo_ops"]), 5)
    await epo.search(read_question(QUERIES["epo_ops"]), 5)

    login, first, second = played.asked
    basic = base64.b64encode(b"epo-id:epo-secret").decode()
    assert (login.method, login.body, login.is_archived) == ("POST", b"grant_type=client_credentials", False)
    assert dict(login.headers)["authorization"] == f"Basic {basic}"
    assert dict(first.headers)["authorization"] == "Bearer token"
    assert (
        first.url
        == second.url
        == (
            "https://ops.epo.org/3.2/rest-services/published-data/search/biblio"
            "?q=ta%3D%22ceramic%22+and+ta%3D%22bearing%22&Range=1-5"
        )
    )


async def test_wikidata_is_asked_by_number_where_there_is_one(played: Played, clock: NoWait) -> None:
    """A corporate number finds its company whatever the name; quotes in words cannot end the text."""
    played.gives(FetchOutcome.NOT_FOUND, status_code=404)
    wikidata = registry("wikidata", played, clock)

    await wikidata.search(read_question("8700110005901"), 5)
    await wikidata.search(read_question('a " } #'), 5)

    assert "wdt%3AP3225+%228700110005901%22" in played.asked[0].url
    assert "mwapi%3Asearch+%22a+%5C%22+%7D+%23%22" in played.asked[1].url


@pytest.mark.parametrize(("name", "body"), BROKEN)
async def test_a_broken_answer_is_failed_and_never_raises(
    played: Played, clock: NoWait, name: str, body: bytes
) -> None:
    """A maintenance page or half a JSON text is no empty result."""
    prepare(name, played)
    played.raw(body)

    answer = await registry(name, played, clock).search(read_question(QUERIES[name]), 5)

    assert (answer.registry, answer.outcome, answer.records) == (name, SearchOutcome.FAILED, ())


@pytest.mark.parametrize(("name", "body"), sorted(LENIENT))
async def test_an_answer_without_records_is_empty(played: Played, clock: NoWait, name: str, body: bytes) -> None:
    """Where a service leaves out what it has not found, an object or list without it finds nothing."""
    played.raw(body)

    answer = await registry(name, played, clock).search(read_question(QUERIES[name]), 5)

    assert (answer.outcome, answer.reason) == (SearchOutcome.EMPTY, "It knows none.")


@pytest.mark.parametrize("name", ["gbizinfo", "edinet", "estat", "epo_ops", "ptab", "fact_checks"])
async def test_without_its_key_a_registry_says_which_setting_is_missing(
    played: Played, clock: NoWait, name: str
) -> None:
    """It is not asked at all."""
    built = directory.build(played, clock, MemoryCooldown(clock), Registries(enabled=(name,)))

    (answer,) = await built.search(read_question(QUERIES[name]))

    setting: Any = built.registries[0].facts.key_setting
    assert (answer.outcome, answer.is_unavailable, played.asked) == (SearchOutcome.BLOCKED, True, [])
    assert answer.reason == f"not asked: it needs a free key in {setting} (docs/how-to/registries.md)"


async def test_only_registries_of_the_kind_are_asked(played: Played, clock: NoWait) -> None:
    """A domain is no matter for Wikidata, and words are none for RDAP."""
    built = directory.build(played, clock, MemoryCooldown(clock), SECRETS)

    assert [one.facts.name for one in built.registries if one.accepts(read_question("misakino.com"))] == [
        "rdap", "crtsh",
    ]  # fmt: skip
    assert [one.facts.name for one in built.registries if one.accepts(read_question("8700110005901"))] == [
        "wikidata", "gbizinfo", "edinet",
    ]  # fmt: skip


def test_every_secret_stays_out_of_the_digest_and_is_known_to_the_redactor() -> None:
    """A new key is found by its name."""
    assert set(Settings(registries=SECRETS).api_keys) == {
        "estat-secret", "gbiz-secret", "edinet-secret", "epo-id", "epo-secret", "uspto-secret", "fact-secret",
    }  # fmt: skip
    assert Settings(registries=SECRETS).digest() == Settings().digest()
