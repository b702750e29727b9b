"""A backup that somebody else has made: only what Lyra backs up comes in, and a database with Lyra's schema alone."""

import gzip
import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from lyra.archive.records import warcinfo
from lyra.backup import make_backup, restore_backup
from lyra.errors import InvalidParams
from lyra.settings import Settings
from lyra.storage.database import Database

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
Members = dict[str, bytes]


@pytest.fixture
async def backup(tmp_path: Path) -> Path:
    settings = Settings(data_dir=tmp_path / "home")
    db = await Database.open(settings.database_path)
    await db.close()
    settings.reports_dir.mkdir()
    (settings.reports_dir / "a.md").write_text("# A")
    file = tmp_path / "lyra.zip"
    make_backup(settings, file, NOW)
    return file


def forged(file: Path, change: Callable[[Members], None], mode: int = 0o100600) -> None:
    """The same backup with other members and a list that fits them: whoever forges one can count too."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    listed = json.loads(members.pop("manifest.json"))
    change(members)
    listed["files"] = [
        {"path": name, "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
    ]
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in (*members.items(), ("manifest.json", json.dumps(listed).encode())):
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data)


def refused(file: Path, target: Path) -> str:
    """What restoring says; nothing is left beside it."""
    before = sorted(path.name for path in file.parent.iterdir())
    with pytest.raises(InvalidParams) as caught:
        restore_backup(file, target, NOW)
    assert sorted(path.name for path in file.parent.iterdir()) == before
    return caught.value.message


@pytest.mark.parametrize(
    "path",
    [
        "http-token",
        "sessions/example.org.json",
        "browser/person/Default/Cookies",
        "settings.toml",
        "logs/lyra-2026-01-31.log",
        "lyra.db-wal",
        "archive/20260131/run.sh",
        "archive/.hidden/a.warc.gz",
        "reports/.bashrc",
        "reports/a\x1b[31m.md",
        "reports/x.sh",
        "reports/x",
        "plugins/evil.py",
    ],
)
def test_a_file_that_no_backup_holds_is_refused(backup: Path, tmp_path: Path, path: str) -> None:
    """Tokens, sessions and profiles that somebody planted do not come in."""
    forged(backup, lambda members: members.update({path: b"planted"}))

    message = refused(backup, tmp_path / "again")

    assert "which is not part of a backup" in message


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("create trigger spy after insert on tasks begin delete from claims; end", "trigger spy"),
        ("create view spy as select * from tasks", "view spy"),
        ("create view v_evil as select * from tasks", "view v_evil"),
        ("create table spy (a)", "table spy"),
        ("create index spy on tasks (query)", "index spy"),
        ("drop index queries_by_task", "index queries_by_task"),
        ("drop view domains; create view domains as select 1 as domain", "view domains"),
        ("alter table tasks add column spy text", "table tasks"),
    ],
)
def test_a_database_that_is_not_as_lyra_makes_it_is_refused(backup: Path, tmp_path: Path, sql: str, named: str) -> None:
    """A trigger or a view would act with the first search."""
    forged(backup, lambda members: members.update({"lyra.db": changed(members["lyra.db"], tmp_path / "x.db", sql)}))

    message = refused(backup, tmp_path / "again")

    assert message == (
        f"The backup cannot be used: its database is not as Lyra makes it: {named}. Nothing was changed."
    )


BOMB = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("path", "data", "why"),
    [
        (
            "redaction.key",
            b"short",
            "redaction.key in it is not as Lyra writes it (The file redaction.key in the data directory holds no key.)",
        ),
        ("redaction.key", b"a" * 300, "redaction.key in it is not a key"),
        ("domains.yaml", BOMB, "domains.yaml in it refers to its own parts, which can grow without end"),
        (
            "domains.yaml",
            b"user_overrides: {evil.example: primary}",
            "domains.yaml in it is not as Lyra writes it "
            "(The domain list domains.yaml has no list under user_overrides.)",
        ),
        ("domains.yaml", b"\xff", "domains.yaml in it is not as Lyra writes it (UnicodeDecodeError)"),
        ("domains.yaml", b"#" * 4_000_001, "domains.yaml in it is larger than any list of domains"),
        ("reports/x.html", b"<script>alert(1)</script>", "reports/x.html in it is a page that runs or loads something"),
        ("reports/x.html", b"<img src=x onerror=a()>", "reports/x.html in it is a page that runs or loads something"),
        (
            "reports/x.HTML",
            b"<a href=' java\nscript:a()'>",
            "reports/x.HTML in it is a page that runs or loads something",
        ),
        (
            "reports/x.html",
            "\ufeff<script>1</script>".encode("utf-16"),
            "reports/x.html in it is a page that runs or loads something",
        ),
    ],
)
def test_a_file_with_other_contents_than_lyra_writes_is_refused(
    backup: Path, tmp_path: Path, path: str, data: bytes, why: str
) -> None:
    """A name that is Lyra's says nothing of what stands under it."""
    forged(backup, lambda members: members.update({path: data}))

    assert refused(backup, tmp_path / "again") == f"The backup cannot be used: {why}. Nothing was changed."


@pytest.mark.parametrize(
    "data",
    [
        bytes(3_000_000),
        gzip.compress(bytes(3_000_000)),
        gzip.compress(b"#!/bin/sh\n"),
        b"WARC/1.1\r\nWARC-Type: warcinfo\r\n",
        gzip.compress(b"WARC/1.1\r\n")[:12],
    ],
    ids=["zeros", "gzipped zeros", "gzipped script", "not gzipped", "cut off"],
)
def test_an_archive_file_that_holds_no_record_is_refused(backup: Path, tmp_path: Path, data: bytes) -> None:
    """It begins with a gzip member that holds a WARC record, as Lyra writes it."""
    path = "archive/20260131/a.warc.gz"
    forged(backup, lambda members: members.update({path: data}))

    why = refused(backup, tmp_path / "new")

    assert f"{path} in it holds no archived record" in why


@pytest.mark.parametrize("data", [b"", warcinfo("a.warc.gz")], ids=["empty", "a record"])
def test_an_archive_file_that_begins_with_a_record_comes_in(backup: Path, tmp_path: Path, data: bytes) -> None:
    """Of a file whose first record was under way a backup holds nothing; `lyra archive check` reads the others."""
    path = "archive/20260131/a.warc.gz"
    forged(backup, lambda members: members.update({path: data}))

    restore_backup(backup, tmp_path / "new", NOW)

    assert (tmp_path / "new" / path).read_bytes() == data


def test_the_domains_that_a_backup_trusts_are_counted(backup: Path, tmp_path: Path) -> None:
    """Whoever restores another's backup takes over that person's trust."""
    listed = b"user_overrides:\n- {domain: evil.example, trust_level: primary}\n- {domain: b.example, qps: 0.1}\n"
    forged(backup, lambda members: members.update({"domains.yaml": listed}))

    assert restore_backup(backup, tmp_path / "again", NOW).overrides == 2


async def test_a_backup_leaves_out_and_names_what_no_restore_takes_in(tmp_path: Path) -> None:
    """So that every backup can be restored."""
    settings = Settings(data_dir=tmp_path / "home")
    await (await Database.open(settings.database_path)).close()
    settings.reports_dir.mkdir()
    (settings.reports_dir / "x.sh").write_text("#!/bin/sh")
    (settings.reports_dir / "y.html").write_text("<script></script>")
    (settings.reports_dir / "z.html").write_text("<p>An onload= in words.</p>")

    made = make_backup(settings, tmp_path / "b.zip", NOW)

    assert [one.path for one in made.manifest.files] == ["lyra.db", "reports/z.html"]
    assert made.left_out == ("reports/x.sh", "reports/y.html")


async def test_a_view_of_analysis_that_was_exchanged_is_made_anew(backup: Path, tmp_path: Path) -> None:
    """Its digest said that it was Lyra's own."""
    sql = "drop view v_contradictions; create view v_contradictions as select 'planted' as claim_id"
    forged(backup, lambda members: members.update({"lyra.db": changed(members["lyra.db"], tmp_path / "x.db", sql)}))

    restore_backup(backup, tmp_path / "again", NOW)

    db = await Database.open(tmp_path / "again" / "lyra.db")
    made = await db.read(lambda c: c.execute("select sql from sqlite_schema where name = 'v_contradictions'").get)
    await db.close()
    assert "planted" not in made


async def test_the_tokens_of_a_shared_server_are_revoked(backup: Path, tmp_path: Path) -> None:
    """Whoever made the file may have entered one of his own."""
    sql = "insert into people values ('u_1', 'spy', 'admin', 'hash', '2026-01-01T00:00:00.000Z', null, null)"
    forged(backup, lambda members: members.update({"lyra.db": changed(members["lyra.db"], tmp_path / "x.db", sql)}))

    restore_backup(backup, tmp_path / "again", NOW)

    db = await Database.open(tmp_path / "again" / "lyra.db")
    found = await db.read(lambda c: c.execute("select name, revoked_at from people").fetchall())
    await db.close()
    assert found == [("spy", "2026-01-31T09:30:00.000Z")]


def changed(data: bytes, path: Path, sql: str) -> bytes:
    path.write_bytes(data)
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()
    found = path.read_bytes()
    path.unlink()
    return found


def test_a_link_is_refused(backup: Path, tmp_path: Path) -> None:
    """A member that is a link would lead outside."""
    forged(backup, lambda members: members.update({"reports/a.md": b"/etc/passwd"}), stat.S_IFLNK | 0o777)

    assert "is not a plain file" in refused(backup, tmp_path / "again")


def test_a_member_of_another_size_than_listed_is_refused_before_it_is_unpacked(backup: Path, tmp_path: Path) -> None:
    """A bomb says that it is small."""
    with zipfile.ZipFile(backup) as archive:
        listed = json.loads(archive.read("manifest.json"))
        database = archive.read("lyra.db")
    with zipfile.ZipFile(backup, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("lyra.db", database)
        archive.writestr("reports/a.md", b"\0" * 50_000_000)
        archive.writestr("manifest.json", json.dumps(listed))

    assert "reports/a.md in it has not the size listed" in refused(backup, tmp_path / "again")
