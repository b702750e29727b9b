"""`lyra pack`, `verify`, `replay` and `task digest` as a user meets them."""

import asyncio
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lyra.model.search import SearchStatus
from lyra.storage import searches
from tests.recorded_task import HYPOTHESIS, PAGES, SEARCH, TASK, begin_task, close, record_task

GONE = "https://clinic-notes.example.com/heart"


async def _record(home: Path) -> None:
    await close(await record_task(home))


async def _record_without_one_record(home: Path) -> None:
    task = await record_task(home)
    await task.db.write(lambda c: c.execute("delete from archive_records where url = ?", (GONE,)).fetchall())
    await close(task)


async def _begin(home: Path) -> None:
    """A process was killed after the first page."""
    task = await begin_task(home)
    search = await task.db.read(searches.get, SEARCH)
    assert search is not None
    await task.db.write(searches.save, replace(search, status=SearchStatus.RUNNING))
    await task.read(await task.load(), next(iter(PAGES)))
    await close(task)


@pytest.fixture
def recorded(home: Path) -> Path:
    """A data directory with one task that was read."""
    asyncio.run(_record(home))
    return home


def test_a_pack_is_made_signed_and_verified_elsewhere(
    lyra: Any, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verifier needs the file and the key alone: no data directory is made. What is not proven is said."""
    monkeypatch.chdir(tmp_path)
    keys = lyra("pack", "keygen", "--json").json
    made = lyra("pack", TASK, "--sign", "lyra-pack.key", "--json").json
    file, elsewhere = f"{TASK}.lyrapack", str(tmp_path / "elsewhere")

    plain = lyra("verify", file, LYRA_DATA_DIR=elsewhere)
    by_digest = lyra("verify", file, "--digest", f"sha256:{made['sha256']}", "--json", LYRA_DATA_DIR=elsewhere)
    signed = lyra("verify", file, "--public-key", keys["key"], "--json", LYRA_DATA_DIR=elsewhere)

    assert (plain.code, plain.out.splitlines()[-3:]) == (
        0,
        [
            "Of the report only the hash was checked; it was not compared with the graph.",
            f"A signature is beside the pack and was not checked: {file}.minisig. Give --public-key.",
            "Consistent, origin not proven: give --digest or --public-key.",
        ],
    )
    assert (by_digest.json["ok"], by_digest.json["origin"]) == (True, "digest")
    assert (signed.json["origin"], signed.json["signed_comment"].split(",")[0]) == (
        "signature",
        f"lyra pack of {TASK}",
    )
    assert made["graph_digest"] == lyra("task", "digest", TASK).out.strip()
    assert (Path("lyra-pack.key").stat().st_mode & 0o777, Path(elsewhere).exists()) == (0o600, False)


def test_what_fails_is_said_with_exit_code_1(lyra: Any, recorded: Path, tmp_path: Path) -> None:
    """A changed byte, another digest and a missing signature, each by its own name."""
    file = tmp_path / "task.lyrapack"
    lyra("pack", TASK, "-o", str(file))
    key = lyra("pack", "keygen", "-o", str(tmp_path / "key"), "--json").json["key"]

    wrong = lyra("verify", str(file), "--digest", "0" * 64, "--public-key", key, "--json")
    file.write_bytes(file.read_bytes()[:-400] + b"?" + file.read_bytes()[-399:])
    changed = lyra("verify", str(file), "--json")

    told = (wrong.json["is_consistent"], wrong.json["origin"], [one["kind"] for one in wrong.json["origin_problems"]])
    assert (wrong.code, told) == (1, (True, "not confirmed", ["digest", "signature"]))
    assert (changed.code, changed.json["ok"], changed.json["problems"][0]["kind"]) == (1, False, "form")


def test_integrity_and_origin_are_two_statements(lyra: Any, recorded: Path, tmp_path: Path) -> None:
    """A pack with another digest than the one given is consistent; a changed one is not, and one problem is one."""
    file = tmp_path / "task.lyrapack"
    lyra("pack", TASK, "-o", str(file))

    other = lyra("verify", str(file), "--digest", "0" * 64)
    file.write_bytes(file.read_bytes() + b"?")
    changed = lyra("verify", str(file), "--digest", "0" * 64)

    assert (other.code, other.out.splitlines()[-1]) == (1, "Consistent; origin NOT confirmed.")
    assert (changed.code, changed.out.splitlines()[-1]) == (1, "NOT INTACT: 1 problem. Origin NOT confirmed.")


@pytest.mark.parametrize("size", [300_000_000, 6_000_000_000], ids=["no zip", "larger than any pack"])
def test_a_large_file_that_is_no_pack_is_refused_by_its_end(lyra: Any, tmp_path: Path, size: int) -> None:
    """It is not read to its end: there is no SHA-256 of it."""
    file = tmp_path / "large"
    with file.open("wb") as stream:
        stream.truncate(size)

    done = lyra("verify", str(file), "--json")

    assert (done.code, done.json["digest"], [one["kind"] for one in done.json["problems"]]) == (1, "", ["form"])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("pack", "task_000000000000"), 3),
        (("pack", TASK, "--sign", "no-such-key"), 2),
        (("pack", TASK, "-o", "no-such-folder/task.lyrapack"), 2),
        (("verify", "no-such-file"), 2),
        (("verify", "x", "--digest", "123"), 2),
        (("replay", "task_000000000000"), 3),
        (("replay", TASK, "--keep", "."), 2),
    ],
    ids=["no task", "no key", "no folder", "no file", "no digest", "no recording", "not empty"],
)
def test_wrong_arguments_have_their_exit_codes(
    lyra: Any, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int
) -> None:
    """As JSON, with a remedy; nothing is written."""
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())

    done = lyra(*words, "--json")

    told = json.loads(done.out)
    assert (done.code, told["ok"], bool(told["remedy"])) == (code, False, True)
    assert [one for one in sorted(tmp_path.iterdir()) if one not in before] == []


def test_a_replay_with_another_reader_tells_the_difference(lyra: Any, recorded: Path) -> None:
    """The bundled small reader instead of the one of then: both are named, and the hypothesis comes with both sides."""
    done = lyra("replay", TASK, "--reader", "small", "--json")

    told = done.json
    first = told["difference"]["changes"][0]
    assert (done.code, told["result"], told["pages"], told["problems"]) == (0, "different", 3, [])
    assert "large: says-no@1 then, none now" in told["other_means"]
    assert (first["claim"], first["before"]["supporting_count"]) == (HYPOTHESIS, 2)


def test_the_files_of_a_pack_are_counted_with_its_manifest(lyra: Any, recorded: Path, tmp_path: Path) -> None:
    """Pack, verify and any zip reader name the same number."""
    file = tmp_path / "task.lyrapack"

    made = lyra("pack", TASK, "-o", str(file), "--json").json

    with zipfile.ZipFile(file) as opened:
        names = len(opened.namelist())
    assert (made["files"], lyra("verify", str(file), "--json").json["files"]) == (names, names)


def test_a_pack_without_a_record_says_at_once_which_quotes_cannot_be_checked(
    lyra: Any, home: Path, tmp_path: Path
) -> None:
    """It is made, and called incomplete with exit code 1; the words are named below their page."""
    asyncio.run(_record_without_one_record(home))

    made = lyra("pack", TASK, "-o", str(tmp_path / "task.lyrapack"))

    assert (made.code, made.out.splitlines()[-1]) == (
        1,
        "INCOMPLETE: the archive has no whole record of 1 of 3 pages; 3 of 11 quotes cannot be checked.",
    )
    assert made.err.splitlines() == [
        f"! {GONE}: its archived record is gone; verify will say so",
        "    “Hospitalisation for heart failure was a higher risk on saxagliptin, doctors at nine other clinics "
        "reported.”",
    ]


def test_what_was_missing_at_packing_is_not_called_changed(lyra: Any, home: Path, tmp_path: Path) -> None:
    """The manifest lists the page: the pack is what its maker made, and yet not all of it is proven."""
    asyncio.run(_record_without_one_record(home))
    file = tmp_path / "task.lyrapack"
    made = lyra("pack", TASK, "-o", str(file), "--json").json

    told = lyra("verify", str(file), "--digest", made["sha256"])
    fields = lyra("verify", str(file), "--json")

    assert (told.code, told.out.splitlines()[-1]) == (
        1,
        "INCOMPLETE since it was made: 1 of 3 pages had no archived record, so 3 of 11 quotes cannot be checked. "
        "Otherwise: Consistent, and the file that the digest names.",
    )
    assert (fields.code, fields.json["ok"], fields.json["is_consistent"], fields.json["problems"]) == (
        1, False, True, [],
    )  # fmt: skip
    assert [one["where"] for one in fields.json["missing"]] == [GONE]
    assert list(made["missing_quotes"]) == made["missing"] == [GONE]


def test_a_task_with_an_unfinished_search_is_not_replayed_yet(lyra: Any, home: Path) -> None:
    """The journal lacks its end, so that the graph would be called another one; it is said what to do."""
    asyncio.run(_begin(home))

    done = lyra("replay", TASK, "--json")

    assert (done.code, done.json["error"]) == (
        2, f"The task {TASK} cannot be replayed yet: its search 'saxagliptin heart failure' is unfinished.",
    )  # fmt: skip
    assert done.json["remedy"] == (
        "Let it go on to its end with `lyra watch TASK` or an open `lyra serve`, then replay the task."
    )


def test_a_task_that_has_read_nothing_has_nothing_to_replay(lyra: Any) -> None:
    """Two empty graphs are the same, but that is no proof of anything."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    told, fields = lyra("replay", task), lyra("replay", task, "--json")

    assert (told.code, told.out.splitlines()[0]) == (0, "There is nothing to replay: the task has read no page.")
    assert (fields.code, fields.json["result"], fields.json["is_same"]) == (0, "nothing", True)


def test_settings_that_are_not_there_are_named_with_their_option(lyra: Any, recorded: Path) -> None:
    """No variable was set, so none is named."""
    done = lyra("replay", TASK, "--settings", "nofile.toml", "--json")

    assert (done.code, done.json["error"]) == (2, "The settings file nofile.toml does not exist.")
    assert done.json["remedy"] == "Name another file with --settings."
