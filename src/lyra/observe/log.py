"""Structured logs: short lines on stderr for people, JSON lines below the data directory for programs.

Logs carry names, numbers and hashes, never prompts, page bodies or secrets (L8): what looks like a secret in a line is
replaced by its keyed hash.
"""

import contextlib
import gzip
import logging
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import structlog

from lyra.disk import open_private, write_all
from lyra.errors import StorageError
from lyra.redact.key import redactor_of
from lyra.redact.redactor import PLAIN

AUDIT_LOGGER = "lyra.audit"
_PLAIN_DAYS = 7
_KEPT_DAYS = 30
_SHARED = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def get_logger(name: str) -> Any:
    """A logger for one module; where its lines go is decided once, by `configure`."""
    return structlog.stdlib.get_logger(name)


def configure(level: str, log_dir: Path | None) -> None:
    """Send logs to stderr from `level` on, and everything from info on to a file of the day.

    Raises StorageError where the directory cannot be used.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    for handler in tuple(root.handlers):
        root.removeHandler(handler)
        handler.close()
    root.addHandler(_stderr(level))
    if log_dir is not None:
        root.addHandler(DailyFile(log_dir))
    _keep_audit_apart(log_dir)
    root.setLevel(min(logging.INFO, getattr(logging, level.upper())))
    for noisy in ("trafilatura", "htmldate", "pdfminer", "charset_normalizer", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.ERROR)


class _Redacting(structlog.stdlib.ProcessorFormatter):
    """Takes secrets out of the finished line, whoever wrote it: also out of tracebacks and foreign libraries' lines."""

    redactor = PLAIN

    def format(self, record: logging.LogRecord) -> str:
        return self.redactor.text(super().format(record))


def _keep_audit_apart(log_dir: Path | None) -> None:
    """Security events go to `audit-YYYY-MM-DD.log` and nowhere else."""
    audit = logging.getLogger(AUDIT_LOGGER)
    audit.propagate = False
    for handler in tuple(audit.handlers):
        audit.removeHandler(handler)
        handler.close()
    audit.addHandler(logging.NullHandler() if log_dir is None else DailyFile(log_dir, "audit"))


def _stderr(level: str) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(level.upper())
    handler.setFormatter(
        _Redacting(
            # Not the pretty kind: it shows the values of variables, pages and prompts among them, and takes long.
            processor=structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
            foreign_pre_chain=list(_SHARED),
        )
    )
    return handler


class DailyFile(logging.Handler):
    """Appends JSON lines to `NAME-YYYY-MM-DD.log`; several processes may write to one file."""

    def __init__(self, directory: Path, name: str = "lyra") -> None:
        super().__init__(logging.INFO)
        self._directory = directory
        self._name = name
        formatter = _Redacting(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
            foreign_pre_chain=list(_SHARED),
        )
        formatter.redactor = redactor_of(directory.parent)
        self.setFormatter(formatter)
        try:
            for private in (directory.parent, directory):
                private.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as exc:
            why = "there is a file of that name" if isinstance(exc, FileExistsError) else exc.strerror
            raise StorageError(
                f"The directory {exc.filename} cannot be used: {why}.",
                remedy="Make it writable for this user, or choose another data directory with LYRA_DATA_DIR.",
            ) from exc
        compress_old_logs(directory, datetime.now(UTC))

    def emit(self, record: logging.LogRecord) -> None:
        path = self._directory / f"{self._name}-{datetime.now(UTC):%Y-%m-%d}.log"
        # A full disk must not stop the work that is being logged, nor drown its own error in tracebacks.
        with contextlib.suppress(OSError), open_private(path, "ab") as file:
            write_all(file, (self.format(record) + "\n").encode("utf-8", "replace"))


def compress_old_logs(directory: Path, now: datetime) -> None:
    """Compress log files older than a week and remove those older than a month."""
    for path in (*directory.glob("lyra-*.log*"), *directory.glob("audit-*.log*")):
        try:
            day = datetime.strptime(path.name.partition("-")[2][:10], "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            continue
        if now - day > timedelta(days=_PLAIN_DAYS + _KEPT_DAYS):
            path.unlink(missing_ok=True)
        elif now - day > timedelta(days=_PLAIN_DAYS) and path.suffix == ".log":
            with contextlib.suppress(OSError):  # another process was quicker, or the disk is full: the file stays
                _pack(path)


def _pack(path: Path) -> None:
    with (
        path.open("rb") as plain,
        open_private(path.with_name(f"{path.name}.gz"), "wb") as file,
        gzip.open(file, "wb") as packed,
    ):
        shutil.copyfileobj(plain, packed)
    path.unlink()
