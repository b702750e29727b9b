"""Registries as a source of a search: records, claims and edges with quotes, facts on entities, proofs."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simweb import Fault, SimWeb
from simweb.apis.registries.holdings import KEYS
from simweb.apis.registries.patents import TOKEN

KEYED = {
    "LYRA_REGISTRIES__ESTAT_KEY": KEYS["estat"],
    "LYRA_REGISTRIES__GBIZINFO_KEY": KEYS["gbizinfo"],
    "LYRA_REGISTRIES__EDINET_KEY": KEYS["edinet"],
    "LYRA_REGISTRIES__EPO_KEY": KEYS["epo"],
    "LYRA_REGISTRIES__EPO_SECRET_KEY": KEYS["epo_secret"],
    "LYRA_REGISTRIES__USPTO_KEY": KEYS["uspto"],
    "LYRA_REGISTRIES__FACTCHECK_KEY": KEYS["factcheck"],
}
QUERIES = (
    "Misakino Works",
    "株式会社美咲野製作所",
    "misakino-works.com",
    "軸受 耐久試験",
    "ceramic bearing pump",
    "愛知県 製造品出荷額等",
    "美咲野製作所 2026-06-26",
    "ceramic bearings asbestos",
)


@dataclass(frozen=True)
class Asked:
    """A task whose searches asked every registry; the server that did it still runs."""

    face: Any
    data_dir: Path
    task_id: str
    claim_id: str
    answers: dict[str, dict[str, Any]]
    hosts: frozenset[str]


@pytest.fixture(scope="module")
def asked(connect: Any, shared_web: SimWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    data_dir = tmp_path_factory.mktemp("registries")
    shared_web.journal.clear()
    with connect(data_dir, **KEYED) as face:
        hypothesis = {"text": "Misakino Works has the subsidiary Kosui Ceramics."}
        task = face.call("create_task", query="Who owns Misakino Works?", config={"hypotheses": [hypothesis]})
        found = {query: face.search(task["task_id"], query, sources=["registries"]) for query in QUERIES}
        hosts = frozenset(visit.host for visit in shared_web.requests)
        yield Asked(face, data_dir, task["task_id"], task["claims"][0], found, hosts)


def test_every_registry_gives_records_and_nobody_else_is_asked(asked: Asked) -> None:
    """Twelve registries by their own hosts; no engine, no academic index, no page of a site, no web archive."""
    rows = asked.face.rows("select distinct engine, state from serp_items order by engine")

    assert [row["engine"] for row in rows] == [
        "crtsh", "dbpedia", "diet_minutes", "edinet", "egov_law", "epo_ops", "estat", "fact_checks", "gbizinfo", "ptab",
        "rdap", "wikidata",
    ]  # fmt: skip
    assert {row["state"] for row in rows} == {"abstract"}
    assert asked.hosts == {
        "query.wikidata.org", "lookup.dbpedia.org", "data.iana.org", "rdap.verisign.com", "rdap.simulated-names.com",
        "crt.sh", "api.e-stat.go.jp", "laws.e-gov.go.jp", "kokkai.ndl.go.jp", "api.info.gbiz.go.jp",
        "api.edinet-fsa.go.jp", "ops.epo.org", "api.uspto.gov", "factchecktools.googleapis.com",
    }  # fmt: skip
    assert {query: answer["problems"] for query, answer in asked.answers.items()} == {query: [] for query in QUERIES}


def test_records_support_a_hypothesis_with_quotes(asked: Asked) -> None:
    """Wikidata's statement is an edge like any other; English and Japanese records stand side by side."""
    rows = asked.face.rows(
        "select e.relation, e.quote, p.url, p.extractor from edges e join pages p on p.id = e.page_id"
        f" where e.target_id = '{asked.claim_id}' and e.relation = 'supports' order by p.url"
    )

    assert {
        "relation": "supports",
        "quote": "Misakino Works has the subsidiary Kosui Ceramics.",
        "url": "https://www.wikidata.org/wiki/Q900000001",
        "extractor": "registry:wikidata",
    } in rows


def test_law_and_minutes_give_claims_in_their_own_words(asked: Asked) -> None:
    """Text of a source stays text of the source."""
    texts = [claim["text"] for claim in asked.answers["軸受 耐久試験"]["claims_found"]]

    assert "精密部品の軸受の耐久試験につきましては、令和七年度に届出のあった事業者は百二十四社でございました。" in texts


def test_pivots_are_facts_with_quotes_and_records(asked: Asked) -> None:
    """Company → officer, subsidiary, domain; domain → certificate → organisation; each leads to the archived answer."""
    rows = asked.face.rows(
        "select subject, predicate, value, registry, quote, record_id from v_entity_facts"
        f" where task_id = '{asked.task_id}' and object_id is not null order by predicate, registry, value"
    )

    stated = {(row["subject"], row["predicate"], row["value"], row["registry"]) for row in rows}
    certificate = next(row["value"] for row in rows if row["predicate"] == "certificate")
    assert {
        ("Misakino Works", "chief_executive", "Keiko Hayase", "wikidata"),
        ("Misakino Works", "subsidiary", "Kosui Ceramics", "wikidata"),
        ("Misakino Works", "website", "https://www.misakino-works.com/", "wikidata"),
        ("misakino-works.com", "certificate", certificate, "crtsh"),
        (certificate, "organisation", "Misakino Works Co., Ltd.", "crtsh"),
        ("misakino-works.com", "registrant", "Misakino Works Co., Ltd.", "rdap"),
    } <= stated
    assert [row for row in rows if row["value"] not in row["quote"] or not row["record_id"]] == []


def test_entities_of_several_registries_are_one_by_their_number(asked: Asked) -> None:
    """gBizINFO, EDINET and Wikidata agree on the corporate number; others are estimated, with reasons."""
    rows = asked.face.rows(
        "select entity_id, registries from v_entities"
        f" where task_id = '{asked.task_id}' and known_by like '%corporate_number: 8999999000001%'"
    )
    (company,) = rows
    pairs = asked.face.rows(
        "select first_name, second_name, score, reasons from v_same_entities"
        f" where task_id = '{asked.task_id}' and kind = 'person'"
    )

    assert set(company["registries"].split(",")) == {"edinet", "gbizinfo", "wikidata"}
    assert {(frozenset((row["first_name"], row["second_name"])), row["score"]) for row in pairs} == {
        (frozenset(("HAYASE, KEIKO", "Keiko Hayase")), 0.6),
        (frozenset(("早瀬恵子", "Keiko Hayase")), 0.6),
    }
    assert {json.loads(row["reasons"])[0].partition(":")[0] for row in pairs} == {"same name"}


def test_every_quote_is_proven_from_the_archived_answers(asked: Asked, lyra: Any, tmp_path: Path) -> None:
    """A pack holds the answers of the APIs, and `lyra verify` finds every quote in them, and no key."""
    made = lyra(
        "pack", asked.task_id, "--output", str(tmp_path / "pack.zip"), "--json", data_dir=asked.data_dir, **KEYED
    )

    checked = lyra("verify", str(tmp_path / "pack.zip"), "--json")

    assert made.code == 0, made.err
    assert (checked.code, checked.json["problems"]) == (0, [])
    archived = b"".join(gzip.decompress(path.read_bytes()) for path in asked.data_dir.rglob("*.warc.gz"))
    assert b"Kosui Ceramics" in archived
    assert [name for name, key in {**KEYS, "token": TOKEN}.items() if key.encode() in archived] == []


def test_a_replay_gives_the_same_graph(asked: Asked, lyra: Any) -> None:
    """Records are read again from the archived answers."""
    done = lyra("replay", asked.task_id, "--json", data_dir=asked.data_dir, **KEYED)

    assert (done.code, done.json["is_same"]) == (0, True)


def test_without_keys_what_is_missing_is_said_and_the_rest_goes_on(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Each registry that was not asked names its setting; with nobody left to ask it is an error with a remedy."""
    with connect(tmp_path) as face:
        task = face.call("create_task", query="Who is Misakino?")["task_id"]
        answer = face.search(task, "株式会社美咲野製作所", sources=["registries"])
        hosts = {visit.host for visit in web.requests}

    assert answer["problems"] == [
        "Not asked for want of a free key: estat (registries.estat_key), gbizinfo (registries.gbizinfo_key), "
        "edinet (registries.edinet_key), fact_checks (registries.factcheck_key)."
    ]
    assert answer["status"] == "partial"
    assert hosts == {"query.wikidata.org", "laws.e-gov.go.jp", "kokkai.ndl.go.jp"}


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            [
                "Sources that gave no answer:",
                "- Not asked for want of a free key: epo_ops (registries.epo_key), ptab (registries.uspto_key), "
                "fact_checks (registries.factcheck_key).",
                "- dbpedia failed: The API did not answer (An HTML page came where an API answer was expected.).",
            ],
        ),
        (
            "ja",
            [
                "答えが得られなかった情報源:",
                "- 無料のキーが設定されていないため問い合わせていません: epo_ops (registries.epo_key), "
                "ptab (registries.uspto_key), fact_checks (registries.factcheck_key)。",
                "- dbpedia は失敗しました: API から応答がありませんでした（API の回答の代わりに HTML のページが"
                "返されました。）。",
            ],
        ),
    ],
    ids=["en", "ja"],
)
def test_an_answer_in_a_terminal_names_keys_and_failures(
    lyra: Any, web: SimWeb, tmp_path: Path, language: str, lines: list[str]
) -> None:
    """`lyra ask` says who was not asked and why, in the person's language."""
    web.faults.set("lookup.dbpedia.org", Fault("soft_404"))

    done = lyra("--lang", language, "ask", "Misakino Works", "--source", "registries", data_dir=tmp_path)

    at = done.out.split("\n").index(lines[0])
    assert done.out.split("\n")[at : at + 4] == [*lines, ""]


def test_a_registry_without_rdap_is_named(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """.jp has none; the search says so."""
    with connect(tmp_path) as face:
        task = face.call("create_task", query="Who is Misakino?")["task_id"]
        answer = face.search(task, "misakino-works.jp", sources=["registries"])

    assert answer["problems"] == ["rdap failed: The registry of .jp offers no RDAP (IANA's list)."]


@pytest.mark.parametrize(
    ("enabled", "error", "remedy"),
    [
        (
            '["gbizinfo", "edinet"]',
            "The registries for such a query need a key: gbizinfo, edinet.",
            "Get a free key and set it; `lyra registries` in a terminal names the setting of each.",
        ),
        (
            '["rdap"]',
            "No registry answers such a query.",
            "Name an organisation, a domain, a number or words; `lyra registries` in a terminal shows who knows what.",
        ),
    ],
    ids=["no-key", "no-registry"],
)
def test_where_nobody_can_be_asked_the_search_says_what_to_do(
    connect: Any, web: SimWeb, tmp_path: Path, enabled: str, error: str, remedy: str
) -> None:
    """It is no empty result."""
    with connect(tmp_path, LYRA_REGISTRIES__ENABLED=enabled) as face:
        task = face.call("create_task", query="Who is Misakino?")["task_id"]
        options = {"sources": ["registries"], "wait_seconds": 20}
        answer = face.refused("search", task_id=task, query="株式会社美咲野製作所", options=options)

    assert (answer["error_code"], answer["error"]) == ("INVALID_PARAMS", error)
    assert (answer["remedy"], web.requests) == (remedy, ())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("soft_404"), "The API did not answer (An HTML page came where an API answer was expected.)."),
        (Fault("truncated"), "The API did not answer (The body from query.wikidata.org was cut off"),
        (Fault("status", status=500), "The API did not answer (Status 500: the server has an error.)."),
    ],
    ids=["html", "half", "500"],
)
def test_a_registry_that_fails_leaves_the_others(
    connect: Any, web: SimWeb, tmp_path: Path, fault: Fault, reason: str
) -> None:
    """The search goes on with what answers, and names what did not."""
    web.faults.set("query.wikidata.org", fault)

    with connect(tmp_path) as face:
        task = face.call("create_task", query="Who is Misakino?")["task_id"]
        answer = face.search(task, "Misakino Works", sources=["registries"])
        engines = face.rows("select distinct engine from serp_items")

    assert engines == [{"engine": "dbpedia"}]
    assert [one.startswith(f"wikidata failed: {reason}") for one in answer["problems"] if "wikidata" in one] == [True]


def test_registries_are_listed_with_how_their_answers_are_known(lyra_here: Any, tmp_path: Path) -> None:
    """Those known from documentation alone are marked."""
    rows = {row["registry"]: row for row in lyra_here("registries", "--json", data_dir=tmp_path).json["registries"]}

    assert rows["rdap"]["answers"] == "as recorded"
    assert {row["answers"] for name, row in rows.items() if name != "rdap"} == {"never tried against the real service"}
    assert (rows["gbizinfo"]["status"], rows["wikidata"]["status"]) == ("needs a key", "asked")
    assert json.dumps(rows["crtsh"]["hosts"]) == '["crt.sh"]'
