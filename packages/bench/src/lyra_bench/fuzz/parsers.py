"""Everything that parses what others wrote, given damaged variants of good input: typed errors and nothing else."""

import gzip
import json
import random
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from lyra import settings as settings_module
from lyra.academic import openalex, semantic_scholar
from lyra.archive.records import make_record_pair, read_records
from lyra.backup import restore_backup
from lyra.charset import decode
from lyra.errors import LyraError
from lyra.extract.document import read_document
from lyra.fetch.classify import classify
from lyra.model.archive import Exchange
from lyra.model.domain import RobotsFile
from lyra.model.page import FetchLane
from lyra.policy.robots import judge
from lyra.search.engines import known_engines
from lyra_bench.fuzz import samples
from lyra_bench.fuzz.figures import FuzzFigures
from lyra_bench.fuzz.mutate import mutated

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
Parser = Callable[[bytes], object]


class _Hang(BaseException):
    """Raised by the alarm; no parser catches it."""


def fuzz_parsers(count: int, seed: int, limit_s: float) -> list[FuzzFigures]:
    """So many damaged inputs for each parser."""
    with tempfile.TemporaryDirectory(prefix="lyra-fuzz-") as folder:
        return [
            _fuzz(name, parse, good, count, seed, limit_s) for name, (parse, good) in _parsers(Path(folder)).items()
        ]


def _parsers(folder: Path) -> dict[str, tuple[Parser, tuple[bytes, ...]]]:
    engines = known_engines()
    return {
        "html": (lambda body: read_document(body, content_type="text/html", url="http://a.example/"), samples.PAGES),
        "markdown": (lambda body: read_document(body, content_type="text/markdown"), (samples.MARKDOWN,)),
        "pdf": (lambda body: read_document(body, content_type="application/pdf"), (samples.PDF,)),
        "page state": (lambda body: classify(_exchange(body), FetchLane.PAGE), samples.PAGES),
        "result pages": (
            lambda body: [one.parse(decode(body), "heart failure", _NOW.date()) for one in engines.values()],
            (samples.RESULTS, *samples.PAGES),
        ),
        "academic answers": (_read_works, (samples.WORKS,)),
        "robots.txt": (
            lambda body: judge(RobotsFile("http://a.example", decode(body), 200, _NOW), "http://a.example/x?y"),
            (samples.ROBOTS,),
        ),
        "archive": (_archive_reader(folder), (_warc(),)),
        "settings": (_settings_reader(folder), (samples.SETTINGS,)),
        "backup": (_backup_reader(folder), (samples.backup(),)),
    }


def _fuzz(name: str, parse: Parser, good: tuple[bytes, ...], count: int, seed: int, limit_s: float) -> FuzzFigures:
    figures, outcomes = FuzzFigures(name), Counter[str]()
    for number in range(count):
        chance = random.Random(f"{seed} {name} {number}")
        body = mutated(chance, chance.choice(good), 12)
        started = time.monotonic()
        try:
            with _alarm(limit_s):
                parse(body)
            outcomes["read"] += 1
        except LyraError as exc:
            outcomes[exc.code] += 1
        except _Hang:
            outcomes["hung"] += 1
        except Exception as exc:  # noqa: BLE001 — what escapes is what is being looked for
            outcomes["escaped"] += 1
            figures.escaped(str(number), traceback.extract_tb(exc.__traceback__), exc)
        figures.count(str(number), time.monotonic() - started, limit_s)
    figures.outcomes = dict(outcomes.most_common())
    return figures


@contextmanager
def _alarm(limit_s: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise _Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _exchange(body: bytes) -> Exchange:
    headers = (("content-type", "text/html"),)
    return Exchange("http://a.example/", "GET", _NOW, status_code=200, headers=headers, body=body)


def _read_works(body: bytes) -> None:
    """Both APIs' records, damaged as bytes; what is no JSON is refused before it gets here."""
    try:
        value = json.loads(body)
    except ValueError:
        return
    for entry in value if isinstance(value, list) else [value]:
        semantic_scholar.read_work(entry)
        if isinstance(entry, dict):
            openalex.read_work(entry)


def _warc() -> bytes:
    """Not compressed, so that damage reaches the records instead of the checksums."""
    pairs = [make_record_pair(_exchange(page)) for page in samples.PAGES]
    return b"".join(gzip.decompress(one) for pair in pairs for one in (pair.response, pair.request))


def _archive_reader(folder: Path) -> Parser:
    def read(body: bytes) -> None:
        (folder / "a.warc").write_bytes(body)
        list(read_records(folder, "a.warc"))

    return read


def _settings_reader(folder: Path) -> Parser:
    def read(body: bytes) -> None:
        path = folder / "settings.toml"
        path.write_bytes(body)
        settings_module.load(environ={}, path=path)

    return read


def _backup_reader(folder: Path) -> Parser:
    def read(body: bytes) -> None:
        path = folder / "a.lyra-backup"
        path.write_bytes(body)
        restore_backup(path, folder / "restored", _NOW, force=True)

    return read
