"""What evidence rests on, on the command line: what-if, timeline, domains, and deleting a task."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def lyra(lyra_here: Any) -> Any:
    """What commands say is looked at, not their processes."""
    return lyra_here


@pytest.fixture
def copied(researched: Any, tmp_path: Path) -> Path:
    """The researched data directory, to be damaged at will; the server's own stays as it is."""
    import apsw

    home = tmp_path / "copy"
    home.mkdir()
    source = apsw.Connection(str(researched.data_dir / "lyra.db"))
    target = apsw.Connection(str(home / "lyra.db"))
    with target.backup("main", source, "main") as backup:
        backup.step()
    source.close()
    target.close()
    shutil.copytree(researched.data_dir / "archive", home / "archive")
    return home


def test_what_if_says_what_the_view_says(lyra: Any, researched: Any) -> None:
    """For the work behind most stances that speaks alone everywhere: the claims that would change are those the view
    calls decisive. A work that is one source with others for some claim is more than the work."""
    rows = researched.face.rows(
        "select claim_id, source, members, is_decisive from v_source_dependence d"
        f" where task_id = '{researched.task_id}' and source like 'work:%' and not exists ("
        "select 1 from v_source_dependence o where o.task_id = d.task_id"
        " and instr(o.members, d.source) > 0 and o.members <> d.members)"
        " order by source, claim_id"
    )
    source = max({row["source"] for row in rows}, key=lambda name: sum(row["source"] == name for row in rows))
    own = [row for row in rows if row["source"] == source]

    done = lyra(
        "what-if", researched.task_id, "--without", source.removeprefix("work:"), "--json", data_dir=researched.data_dir
    )

    assert (done.code, done.json["ok"]) == (0, True)
    assert {row["claim_id"]: row["changes"] for row in done.json["claims"]} == {
        row["claim_id"]: bool(row["is_decisive"]) for row in own
    }
    assert done.json["claims_changed"] == sum(row["is_decisive"] for row in own)


def test_what_if_refuses_a_source_that_says_nothing(lyra: Any, researched: Any) -> None:
    """INVALID_PARAMS and exit code 2; JSON on stdout for programs, the sentence on stderr for people."""
    done = lyra("what-if", researched.task_id, "--without", "nowhere.example", "--json", data_dir=researched.data_dir)

    assert (done.code, done.json["error_code"]) == (2, "INVALID_PARAMS")
    assert done.json["error"] == "No evidence of this task comes from 'nowhere.example'."


def test_the_timeline_has_every_claim_with_evidence_in_order(lyra: Any, researched: Any) -> None:
    """Each claim that has a stance has a first sight, and its dated events never go back in time."""
    rows = researched.face.rows(
        f"select distinct target_id from edges where task_id = '{researched.task_id}'"
        " and relation in ('supports', 'refutes') order by target_id"
    )

    done = lyra("timeline", researched.task_id, "--json", data_dir=researched.data_dir)

    claims = done.json["claims"]
    days = [[event["date"] or event["seen_at"][:10] for event in claim["events"]] for claim in claims]
    firsts = [sum(event["kind"] == "first_seen" for event in claim["events"]) for claim in claims]
    assert [claim["claim_id"] for claim in claims] == [row["target_id"] for row in rows]
    assert days == [sorted(own) for own in days]
    assert firsts == [1] * len(claims)


def test_the_timeline_of_one_claim(lyra: Any, researched: Any) -> None:
    """A claim of the task alone; one that it does not have is refused."""
    wanted = researched.hypotheses[3]

    one = lyra("timeline", researched.task_id, wanted, "--json", data_dir=researched.data_dir)
    none = lyra("timeline", researched.task_id, "c_ffff", "--json", data_dir=researched.data_dir)

    assert [claim["claim_id"] for claim in one.json["claims"]] == [wanted]
    assert (none.code, none.json["error_code"]) == (2, "INVALID_PARAMS")


def test_the_timeline_names_each_claim_in_a_pipe_too(lyra: Any, researched: Any) -> None:
    """Above the events of every claim stand its id and words; outdated ones are marked as in the JSON."""
    claims = lyra("timeline", researched.task_id, "--json", data_dir=researched.data_dir).json["claims"]

    piped = lyra("timeline", researched.task_id, data_dir=researched.data_dir).out.splitlines()

    named = [line for line in piped if line.startswith("c_")]
    assert named == [f"{claim['claim_id']}  {claim['text']}" for claim in claims]
    assert sum(line.startswith("outdated: ") for line in piped) == sum(claim["is_outdated"] for claim in claims)


def test_what_if_shows_every_status_it_counts(lyra: Any, researched: Any) -> None:
    """As many rows have an arrow behind a status as are said to change."""
    told = lyra("what-if", researched.task_id, "--without", "fdso.gov", data_dir=researched.data_dir).out.splitlines()

    rows = [line.split("\t") for line in told[2:-1]]
    changed = sum(any("→" in cell for cell in row[:3]) for row in rows)
    assert told[1].split("\t") == ["verdict", "verification", "adoption", "confidence", "claim"]
    assert told[-1].startswith(f"{changed} of {len(rows)} claims touched would change;")


def test_domains_tell_level_origin_and_rest(lyra: Any, copied: Path) -> None:
    """An override is in force at once and shown as such; the list and the unknown are told apart."""
    item = {"domain": "fdso.gov", "trust_level": "blocked", "reason": "Under review."}
    (copied / "domains.yaml").write_text(json.dumps({"user_overrides": [item]}), "utf-8")

    every = lyra("domains", "--json", data_dir=copied)
    one = lyra("domains", "https://www.fdso.gov/safety/", "--json", data_dir=copied)

    levels = {row["domain"]: (row["trust_level"], row["origin"]) for row in every.json["domains"]}
    assert (levels["fdso.gov"], levels["calderwood.edu"]) == (("blocked", "override"), ("academic", "list"))
    row = one.json["domains"][0]
    fetching, (change,) = row.pop("fetching"), row.pop("trust_changes")
    assert (change["before"], change["after"], change["reason"]) == (None, "blocked", "Under review.")
    assert (fetching["state"], fetching["first_rung"], fetching["pause_factor"]) == ("closed", "http", 1.0)
    assert row == {
        "domain": "www.fdso.gov",
        "trust_level": "blocked",
        "origin": "override",
        "reason": "Under review.",
        "without_override": "government",
        "cause_id": None,
        "cooldown_until": None,
        "failures": 0,
        "last_outcome": "ok",
    }


def test_a_domain_that_the_user_blocked_is_in_the_status(lyra: Any, researched: Any, copied: Path) -> None:
    """`blocked_domains` names it with the reason and the way back, though no page of it was ever dangerous."""
    item = {"domain": "fdso.gov", "trust_level": "blocked", "reason": "Under review."}
    (copied / "domains.yaml").write_text(json.dumps({"user_overrides": [item]}), "utf-8")

    done = lyra("task", "show", researched.task_id, "--json", data_dir=copied)

    (blocked,) = done.json["blocked_domains"]
    assert (blocked["domain"], blocked["reason"], blocked["cause_id"], blocked["original_trust_level"]) == (
        "fdso.gov",
        "Under review.",
        "user_override",
        "government",
    )
    assert (blocked["can_restore"], blocked["restore_via"]) == (True, "user_overrides in domains.yaml")


def test_a_task_is_deleted_as_the_dry_run_said(lyra: Any, researched: Any, copied: Path) -> None:
    """Hard: the only task goes with every page and file; the dry run named the same numbers and touched nothing."""
    rehearsed = lyra("task", "delete", researched.task_id, "--hard", "--dry-run", "--json", data_dir=copied)
    listed = lyra("task", "list", "--json", data_dir=copied)

    done = lyra("task", "delete", researched.task_id, "--hard", "--yes", "--json", data_dir=copied)

    left = lyra("query", "select count(*) as n from pages", "--json", data_dir=copied)
    assert [task["task_id"] for task in listed.json] == [researched.task_id]
    assert rehearsed.json["removed"] == done.json["removed"]
    assert (done.json["mode"], done.json["dry_run"], left.json["rows"]) == ("hard", False, [{"n": 0}])
    assert done.json["archive_files"]["shared_with_other_pages"] == []


def test_nothing_is_deleted_without_a_yes(lyra: Any, researched: Any, copied: Path) -> None:
    """A program must say --yes; an unknown task is TASK_NOT_FOUND even then."""
    unasked = lyra("task", "delete", researched.task_id, "--json", data_dir=copied)
    unknown = lyra("task", "delete", "task_ffffffffffff", "--yes", "--json", data_dir=copied)

    assert (unasked.code, unasked.json["error_code"]) == (2, "INVALID_PARAMS")
    assert (unknown.code, unknown.json["error_code"]) == (3, "TASK_NOT_FOUND")
