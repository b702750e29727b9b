"""Logs: short on stderr, JSON lines below the data directory, kept for a month."""

import gzip
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from lyra.errors import StorageError
from lyra.observe import audit
from lyra.observe.log import compress_old_logs, configure, get_logger
from lyra.redact.key import redactor_of

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(directory: Path) -> list[dict[str, object]]:
    (file,) = directory.glob("lyra-*.log")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_secrets_in_a_line_become_hashes_in_the_file_and_are_struck_out_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever logs an address, and a library's own lines too."""
    directory = tmp_path / "logs"
    configure("warning", directory)
    address = "https://a.example/?code=SplxlOBeZQQYbYS6WxSbIA&lang=ja"

    get_logger("lyra.test").warning("failed", url=address)
    logging.getLogger("curl").warning("asked %s", address)

    kept = f"https://a.example/?code={redactor_of(tmp_path).mask('SplxlOBeZQQYbYS6WxSbIA')}&lang=ja"
    first, second = lines(directory)
    assert (first["url"], second["event"]) == (kept, f"asked {kept}")
    assert capsys.readouterr().err.count("https://a.example/?code=redacted&lang=ja") == 2


def test_the_file_has_one_json_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything from info on, whatever stderr shows; fields are fields."""
    configure("warning", tmp_path)

    get_logger("lyra.test").info("call", tool="search", ok=True, 語="心不全")

    (line,) = lines(tmp_path)
    assert (line["event"], line["tool"], line["ok"], line["語"]) == ("call", "search", True, "心不全")
    assert (line["level"], line["logger"]) == ("info", "lyra.test")
    assert capsys.readouterr() == ("", "")


def test_security_events_have_a_file_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`audit-DAY.log`, and neither the other log nor stderr."""
    configure("info", tmp_path)

    audit.record("L2", "orders to an AI on a page", page_id="p_1", kinds=["order"])

    (file,) = tmp_path.glob("audit-*.log")
    (line,) = map(json.loads, file.read_text("utf-8").splitlines())
    assert (line["layer"], line["event"], line["page_id"]) == ("L2", "orders to an AI on a page", "p_1")
    assert (list(tmp_path.glob("lyra-*.log")), capsys.readouterr()) == ([], ("", ""))


def test_the_audit_log_is_packed_after_a_week(tmp_path: Path) -> None:
    """As the other log: seven days plain, then packed, and gone after a month more."""
    for day in ("2026-03-30", "2026-03-20", "2026-02-01"):
        (tmp_path / f"audit-{day}.log").write_text("{}\n", "utf-8")

    compress_old_logs(tmp_path, NOW)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit-2026-03-20.log.gz", "audit-2026-03-30.log"]


def test_stderr_shows_from_its_level_on_and_stdout_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Stdout belongs to the protocol and to --json."""
    configure("warning", None)

    get_logger("lyra.test").info("quiet")
    get_logger("lyra.test").warning("loud", code="TIMEOUT")

    out, err = capsys.readouterr()
    assert out == ""
    assert "loud" in err
    assert "code=TIMEOUT" in err
    assert "quiet" not in err


def test_other_libraries_write_to_the_same_file(tmp_path: Path) -> None:
    """A record of the standard library becomes the same kind of line, with its trace."""
    configure("error", tmp_path)

    logging.getLogger("somebody").warning("took %d s", 3)

    (line,) = lines(tmp_path)
    assert (line["event"], line["logger"], line["level"]) == ("took 3 s", "somebody", "warning")


def test_exceptions_are_kept_with_their_trace(tmp_path: Path) -> None:
    """An error id in an answer leads to the whole story in the log."""
    configure("error", tmp_path)

    get_logger("lyra.test").error("unexpected", error_id="err_1", exc_info=ValueError("odd"))

    (line,) = lines(tmp_path)
    assert line["error_id"] == "err_1"
    assert "ValueError: odd" in str(line["exception"])


def test_configuring_again_replaces_the_handlers(tmp_path: Path) -> None:
    """A line is written once however often the log was configured."""
    configure("warning", tmp_path)
    configure("warning", tmp_path)

    get_logger("lyra.test").info("once")

    assert len(lines(tmp_path)) == 1


def test_a_directory_that_cannot_be_made_is_a_typed_error(tmp_path: Path) -> None:
    """The data directory is a file: a sentence and a remedy instead of a trace."""
    (tmp_path / "file").touch()

    with pytest.raises(StorageError) as refused:
        configure("warning", tmp_path / "file" / "logs")

    assert refused.value.message == f"The directory {tmp_path / 'file'} cannot be used: there is a file of that name."
    assert refused.value.exit_code == 5


def test_directories_are_private(tmp_path: Path) -> None:
    """The log may be the first to make the data directory: both are the user's alone."""
    configure("warning", tmp_path / "data" / "logs")

    modes = [oct(path.stat().st_mode & 0o777) for path in (tmp_path / "data", tmp_path / "data" / "logs")]
    assert modes == ["0o700", "0o700"]


def test_old_files_are_packed_after_a_week_and_removed_after_a_month_more(tmp_path: Path) -> None:
    """SPEC §10: 7 days plain, 30 days compressed; files of others are left alone."""
    for name in (
        "lyra-2026-03-31.log",
        "lyra-2026-03-25.log",
        "lyra-2026-03-23.log",
        "lyra-2026-02-20.log",
        "notes.log",
    ):
        (tmp_path / name).write_text(name)
    (tmp_path / "lyra-2026-02-01.log.gz").write_bytes(b"old")
    (tmp_path / "lyra-not-a-date.log").touch()

    compress_old_logs(tmp_path, NOW)

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "lyra-2026-03-23.log.gz",
        "lyra-2026-03-25.log",
        "lyra-2026-03-31.log",
        "lyra-not-a-date.log",
        "notes.log",
    ]
    assert gzip.decompress((tmp_path / "lyra-2026-03-23.log.gz").read_bytes()) == b"lyra-2026-03-23.log"


def test_a_traceback_shows_no_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Variables hold pages and prompts (L8); rendering a large task's took half a minute on the server's one loop."""
    configure("warning", None)
    page = "the private words of a page"

    try:
        page.index("absent")
    except ValueError as exc:
        get_logger("lyra.test").error("unexpected", exc_info=exc)

    told = capsys.readouterr().err
    assert ("ValueError: substring not found" in told, page in told) == (True, False)
