"""The Parquet files of a run: a row for each document, in files named by what they hold, so that a second writing of
the same documents is the same file."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lyra.bulk.files import child, exists, is_folder, is_local, list_files, open_file, path_of, public_address, put_file
from lyra.bulk.reading import Row, RowStatus
from lyra.bulk.sources import Place, is_warc
from lyra.errors import StorageError

if TYPE_CHECKING:
    import pyarrow as pa


_FOLDER = "parts"
_SUFFIX = ".parquet"
_FILES, _WARC = "files-", "warc-"
_NAME_CHARS = 24
_KEPT_PARTS = 8
_ORDER = ("key", "url", "status", "fetched_at")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A document or file that was not read, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where the row of a document is."""

    key: str
    part: str
    number: int
    status: RowStatus


def part_name(places: Sequence[Place]) -> str:
    """The name of the file with these documents, all of WARC files or none."""
    digest = hashlib.sha256("\n".join(one.key for one in places).encode()).hexdigest()[:_NAME_CHARS]
    return f"{_WARC if is_warc(places[0].address) else _FILES}{digest}{_SUFFIX}"


def is_written(out: str, places: Sequence[Place]) -> bool:
    return exists(child(out, _FOLDER, part_name(places)))


def write_part(out: str, places: Sequence[Place], rows: Sequence[Row]) -> None:
    """Write the rows of these documents whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    target = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema()), target, compression="zstd")
    put_file(child(out, _FOLDER, part_name(places)), target.getvalue().to_pybytes())


def files_done(out: str) -> frozenset[str]:
    """The keys of documents that are files of their own and have a row; those of WARC files are known by their part."""
    done: set[str] = set()
    for address in _parts(out, _FILES):
        done.update(str(key) for key in _table(address, ("key",)).column("key").to_pylist())
    return frozenset(done)


def index_rows(out: str) -> list[RowPlace]:
    """Every document once, in the order of the collection; of one address in several versions the newest."""
    newest: dict[str, tuple[str, str, RowPlace]] = {}
    for address in _parts(out, ""):
        found = _table(address, _ORDER).to_pylist()
        for number, row in enumerate(found):
            place = RowPlace(str(row["key"]), address, number, RowStatus(row["status"]))
            name = str(row["url"] or row["key"])
            version = (str(row["fetched_at"] or ""), place.key, place)
            if name not in newest or version[:2] > newest[name][:2]:
                newest[name] = version
    return sorted((place for *_, place in newest.values()), key=lambda one: one.key)


def failures(out: str) -> list[Problem]:
    """Documents that can never be read, and why; of this run and of earlier ones."""
    found: set[Problem] = set()
    for address in _parts(out, ""):
        rows = _table(address, ("address", "offset", "status", "error")).to_pylist()
        found.update(Problem(shown(one), str(one["error"])) for one in rows if one["status"] == RowStatus.FAILED)
    return sorted(found)


def shown(row: Row) -> str:
    """The file of a document as people know it, with the place of its record in a WARC."""
    address = str(row["address"])
    name = str(path_of(address)) if is_local(address) else public_address(address)
    return name if row["offset"] is None else f"{name} at {row['offset']}"


class RowReader:
    """Rows by their place; neighbours are mostly in one file, and the last few files are kept open."""

    def __init__(self) -> None:
        self._load = lru_cache(_KEPT_PARTS)(lambda address: _table(address, None))

    def __call__(self, place: RowPlace) -> Row:
        row: Row = self._load(place.part).slice(place.number, 1).to_pylist()[0]
        return row


def _parts(out: str, prefix: str) -> Iterator[str]:
    folder = child(out, _FOLDER)
    for one in list_files(folder) if is_folder(folder) else ():
        name = public_address(one.address).rpartition("/")[2]
        if name.startswith(prefix) and name.endswith(_SUFFIX):
            yield one.address


def _table(address: str, columns: Sequence[str] | None) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_file(address) as file:
            return pq.read_table(pa.BufferReader(file.read()), columns=None if columns is None else list(columns))
    except (OSError, pa.ArrowException) as exc:
        raise StorageError(
            f"The file {public_address(address)} cannot be read: {str(exc).splitlines()[0][:200]}",
            remedy="Delete it and run lyra bulk again: only its documents are read again.",
        ) from exc


@lru_cache(1)
def schema() -> "pa.Schema":
    """What every file has; the reference is docs/how-to/bulk.md."""
    import pyarrow as pa

    text, vector = pa.string(), pa.list_(pa.float32())
    fragment = {"id": text, "text": text, "fragment_type": text, "heading_context": text, "char_start": pa.int64(),
        "char_end": pa.int64(), "page_number": pa.int32(), "language": text, "vector": vector}  # fmt: skip
    claim = {"id": text, "text": text, "language": text, "vector": vector}
    mention = {"claim_id": text, "fragment_id": text, "quote": text, "char_start": pa.int64(), "char_end": pa.int64()}
    stance = {"claim_id": text, "fragment_id": text, "relation": text, "nli_confidence": pa.float64(),
        "nli_raw": pa.float64(), "model_id": text, "calibration_version": text, "reader": text, "rule": text,
        "source_trust_level": text, "is_origin": pa.bool_(), "quote": text}  # fmt: skip
    answer = {"reader": text, "pair": pa.binary(), "bears": pa.float32(), "side": pa.float32()}
    plain = ("key", "address", "version", "status", "error", "remedy", "url", "page_id", "domain", "title", "language",
        "published_date", "fetched_at", "content_hash", "document")  # fmt: skip
    return pa.schema(
        [
            *((name, text) for name in plain),
            ("offset", pa.int64()),
            ("headers", _structs(pa, {"name": text, "value": text})),
            ("fragments", _structs(pa, fragment)),
            ("claims", _structs(pa, claim)),
            ("mentions", _structs(pa, mention)),
            ("stances", _structs(pa, stance)),
            ("vectors", _structs(pa, {"text_hash": text, "vector": pa.binary()})),
            ("answers", _structs(pa, answer)),
        ]
    )


def _structs(pa: object, fields: dict[str, object]) -> object:
    return pa.list_(pa.struct(list(fields.items())))  # type: ignore[attr-defined]
