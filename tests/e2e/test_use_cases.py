"""The three use cases of the requirements (§3.2.1) through an MCP client; the simulated web has a CAPTCHA domain."""

import json
import os
from pathlib import Path
from typing import Any

import apsw
import pytest

from simweb import Fault, SimWeb

SHOP = "https://shop.voltbarn-outlet.com/pads"
# One page after another: what is read does not depend on what else the machine does.
QUIET = {"LYRA_ACADEMIC__ENABLED": "false", "LYRA_NETWORK__CONCURRENCY": "1", "LYRA_TOR__SHARE": "0"}


def ask(data_dir: Path, sql: str) -> list[Any]:
    connection = apsw.Connection(str(data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def _desktop(folder: Path) -> Path:
    """A folder for PATH with a `notify-send` that shows everything: what it was told lies beside it, a word a line."""
    folder.mkdir()
    program = folder / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {folder / "told"}\n')
    program.chmod(0o700)
    return folder


@pytest.fixture
def shop_cookie(web: SimWeb) -> dict[str, str]:
    """What a person's browser holds after the puzzle was solved."""
    name, value = web.doors.cookie("captcha", "shop.voltbarn-outlet.com")
    return {"name": name, "value": value}


def test_use_case_1_an_ordinary_investigation(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Create, search, look, search again, look for refutations, stop, and take the material away; a page behind a
    CAPTCHA waits for a person and holds nothing else up."""
    web.faults.set("www.fdso.gov", Fault("captcha"))
    hypothesis = "Saxagliptin increases hospitalisation for heart failure."

    with connect(tmp_path, **QUIET) as face:
        config = {"hypotheses": [{"text": hypothesis}]}
        task = face.call("create_task", query="Does saxagliptin cause heart failure?", config=config)["task_id"]
        first = face.search(task, "saxagliptin heart failure hospitalisation", max_pages=3)
        status = face.call("get_status", task_id=task)
        second = face.search(task, "DPP-4阻害薬 心不全 リスク", max_pages=1)
        refuting = face.search(task, "saxagliptin heart failure not increased", max_pages=3, refute=True)
        stopped = face.call("stop_task", task_id=task, reason="completed")
        claims = face.rows(f"select claim_text from claims where task_id = '{task}'")
        against = face.rows(
            "select distinct e.target_id as claim_id, e.quote, p.url as source_url from serp_items s"
            " join pages p on p.id = s.page_id join edges e on e.page_id = p.id and e.relation = 'refutes'"
            f" where s.query_id = '{refuting['search_id']}' order by 1, 2"
        )

    assert (first["pages_fetched"], second["pages_fetched"], refuting["pages_fetched"]) == (3, 1, 3)
    assert (status["metrics"]["total_searches"], status["budget"]["pages_used"]) == (1, 3)
    assert status["auth_queue"]["domains"] == ["fdso.gov"]
    assert status["auth_queue"]["high_priority_count"] == 1  # nobody said so: it is a government's page
    told = [{name: row[name] for name in ("claim_id", "quote", "source_url")} for row in refuting["refutations"]]
    assert told != []
    assert [row for row in told if row not in against] == []
    assert (stopped["final_status"], stopped["summary"]["total_searches"]) == ("completed", 3)
    assert stopped["summary"]["total_claims"] == len(claims)
    assert hypothesis in {row["claim_text"] for row in claims}


def test_use_case_2_a_person_opens_a_page(
    connect: Any, lyra: Any, web: SimWeb, tmp_path: Path, shop_cookie: dict[str, str]
) -> None:
    """The search says AUTH_REQUIRED; the queue names the page; the person is told; one solution resumes both tasks'
    searches, and the session serves the third."""
    desktop = tmp_path / "desktop"
    with connect(tmp_path, **QUIET, PATH=f"{_desktop(desktop)}:{os.environ['PATH']}") as face:
        one, two, three = (
            face.call("create_task", query=f"What do charging pads cost in shop {number}?")["task_id"]
            for number in range(3)
        )
        closed = [
            face.refused("search", task_id=task, query=SHOP, options={"wait_seconds": 60, **options})
            for task, options in ((one, {"auth_priority": "high"}), (two, {}))
        ]
        blocked, other = (error["details"]["search_id"] for error in closed)
        queue = face.call("get_auth_queue", task_id=one)
        domains = face.call("get_auth_queue", options={"group_by": "domain"})
        waiting = face.call("get_status", task_id=one)["auth_queue"]
        payload = {"message": "Please open this page", "details": {"url": SHOP, "reason": "captcha"}}
        told = face.call("notify_user", event="auth_required", payload=payload)
        (item,) = queue["queue"]
        listed = lyra("auth", "list", "--json", data_dir=tmp_path)
        session = {"cookies": [shop_cookie]}
        solved = face.call(
            "resolve_auth", target="item", data={"auth_id": item["id"], "status": "resolved", "session_data": session}
        )
        resumed = [face.ended(task, search) for task, search in ((one, blocked), (two, other))]
        again = face.call("resolve_auth", target="item", data={"auth_id": item["id"], "status": "skipped"})
        left = face.call("get_auth_queue")
        third = face.search(three, f"{SHOP}?page=2")
        nothing = face.call("get_auth_queue", task_id=three)
    measured = lyra("metrics", "--json", data_dir=tmp_path)

    said = "None of 1 results could be read; a person is needed for 1 (voltbarn-outlet.com)."
    assert [(error["error_code"], error["error"], error["retryable"]) for error in closed] == [
        ("AUTH_REQUIRED", said, True),
        ("AUTH_REQUIRED", said, True),
    ]
    assert closed[0]["remedy"].startswith("A person can open the pages that refuse: get_auth_queue lists them")
    assert (item["domain"], item["url"], item["type"], item["priority"], item["blocking_searches"]) == (
        "voltbarn-outlet.com",
        SHOP,
        "captcha",
        "high",
        [blocked],
    )
    assert listed.json["queue"][0] == item
    assert [one["priority"] for one in listed.json["queue"]] == ["high", "normal"]
    figures = {one["name"]: one["value"] for one in measured.json["metrics"] if not one["labels"]}
    assert (figures["auth_pending"], figures["auth_solved_share"], figures["auth_notified_share"]) == (
        0.0,
        1.0,
        1.0,
    )
    assert (domains["total_domains"], domains["total_pending"]) == (1, 2)
    assert domains["domains"][0]["affected_tasks"] == [one, two]
    assert (waiting["pending_count"], waiting["high_priority_count"]) == (1, 1)
    assert waiting["by_auth_type"] == {"captcha": 1}
    assert told["notification_id"].startswith("n_")
    assert (told["shown"], told["shown_on"]) == (True, ["libnotify"])
    assert "Please open this page" in (desktop / "told").read_text().splitlines()
    assert sorted(solved["unblocked_searches"]) == sorted([blocked, other])
    assert (solved["status"], solved["session_stored"]) == ("resolved", True)
    assert sorted(row["pages_fetched"] for row in resumed) == [0, 1]
    assert (again["status"], again["note"]) == ("resolved", "It was resolved before; nothing was changed.")
    assert left["queue"] == []
    assert (third["pages_fetched"], nothing["queue"]) == (1, [])
    assert ask(tmp_path, f"select state from serp_items where url = '{SHOP}' order by state") == [
        ("fetched",),
        ("reused",),
    ]
    assert shop_cookie["value"] not in json.dumps(ask(tmp_path, "select details from event_log"))


def test_use_case_3_calibration(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Samples pile up, the statistics show the fit, and the client goes back to how it was."""
    with connect(tmp_path, LYRA_CALIBRATION__REFIT_AFTER="20") as face:
        samples = [
            {"source": "llm_extract", "prediction": prediction, "actual": number % 2 == 0}
            for number in range(30)
            for prediction in (0.95,)
        ]
        added = [face.call("calibrate", action="add_sample", data=sample) for sample in samples]
        stats = face.call("calibrate", action="get_stats", data={"source": "llm_extract"})
        back = face.call("calibrate_rollback", source="llm_extract", reason="degradation")
        after = face.call("calibrate", action="get_stats", data={"source": "llm_extract"})

    assert [one["pending_count"] for one in added][:3] == [1, 2, 3]
    assert stats["current_version"] == 1
    assert back["rolled_back_to"] == 0
    assert after["current_version"] == 0


def test_many_waiting_pages_raise_an_alert(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Three pages are a warning, two of high priority are critical; other pages are read meanwhile."""
    walled = {
        "www.fdso.gov": "normal",
        "www.evidencecompass.org": "normal",
        "med.calderwood.edu": "normal",
        "www.drugfacts-pro.com": "high",
        "www.hillcrest-diabetes.com": "high",
    }
    web.faults.set("*", Fault("captcha"))
    web.faults.set("www.kinetix-devices.com", Fault("slow", delay_s=0.0))

    with connect(tmp_path, **QUIET) as face:
        task = face.call("create_task", query="What do gliptins do?")["task_id"]
        said = []
        for host, priority in walled.items():
            options = {"wait_seconds": 60, "auth_priority": priority}
            face.refused("search", task_id=task, query=f"https://{host}/page", options=options)
            said.append(face.call("get_status", task_id=task)["warnings"])
        read = face.search(task, "https://www.kinetix-devices.com/technology/alp2")
        data = {"domain": "fdso.gov", "status": "skipped"}
        skipped = face.call("resolve_auth", target="domain", data=data)
        left = face.call("get_status", task_id=task)["auth_queue"]

    assert said == [
        [],
        [],
        ["warning: 3 pages wait for a person"],
        ["warning: 4 pages wait for a person"],
        ["critical: 5 pages wait for a person (2 high priority)"],
    ]
    assert read["pages_fetched"] == 1
    assert (skipped["resolved_count"], skipped["session_stored"], skipped["unblocked_searches"]) == (1, False, [])
    assert (left["pending_count"], left["high_priority_count"], left["by_auth_type"]) == (4, 2, {"captcha": 4})


def test_a_wall_before_the_engines_frees_every_search_it_refused(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Three searches of two tasks fail, the last without a request, for the engines rest; one word frees them all."""
    engines = ("html.duckduckgo.com", "www.mojeek.com")
    for host in engines:
        web.faults.set(host, Fault("captcha"))
    query = "gliptin tablets cost at the pharmacy"

    with connect(tmp_path, **QUIET) as face:
        one, two = (face.call("create_task", query=f"What do gliptins cost in {name}?")["task_id"] for name in "AB")
        refused = [face.refused("search", task_id=task, query=query) for task in (one, one, two)]
        searches = [answer["details"]["search_id"] for answer in refused]
        waiting = face.call("get_auth_queue")["queue"]
        web.faults.clear()
        data = {"domain": "duckduckgo.com", "status": "resolved"}
        opened = face.call("resolve_auth", target="domain", data=data)
        ended = [face.ended(task, search) for task, search in zip((one, one, two), searches, strict=True)]

    assert [answer["error_code"] for answer in refused] == ["ALL_ENGINES_BLOCKED"] * 3
    assert [answer["remedy"].split(":")[0] for answer in refused] == ["A person can open the pages that refuse"] * 3
    assert sorted((item["task_id"], item["domain"], tuple(item["blocking_searches"])) for item in waiting) == sorted(
        (task, domain, tuple(sorted(blocked)))
        for task, blocked in ((one, searches[:2]), (two, searches[2:]))
        for domain in ("duckduckgo.com", "mojeek.com")
    )
    assert sorted(opened["unblocked_searches"]) == sorted(searches)
    assert sorted(opened["affected_tasks"]) == sorted((one, two))
    assert [row["status"] == "failed" for row in ended] == [False] * 3
