"""What a pack holds: the manifest with every file's hash, and the graph as lines of JSON."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lyra.errors import InvalidParams
from lyra.model.task_evidence import (
    EvidenceCitation,
    EvidenceClaim,
    EvidenceEdge,
    EvidenceFragment,
    EvidenceMention,
    EvidencePage,
    TaskEvidence,
)
from lyra.report.pack.zip_file import broken
from lyra.storage.rows import from_json

FORMAT, VERSION = "lyra-evidence-pack", 1
MANIFEST, README, GRAPH, RECORDS = "manifest.json", "README.txt", "graph.jsonl", "archive/records.warc.gz"
REPORT, APPENDIX = "report/report.md", "report/appendix.md"
SCREENSHOTS, MODELS = "screenshots/", "models/"
_KINDS: Mapping[str, type] = {
    "page": EvidencePage,
    "fragment": EvidenceFragment,
    "claim": EvidenceClaim,
    "mention": EvidenceMention,
    "edge": EvidenceEdge,
    "citation": EvidenceCitation,
}
_NAMES = {"page": "pages", "fragment": "fragments", "claim": "claims", "mention": "mentions", "edge": "edges"}
_NAMES["citation"] = "citations"
README_TEXT = """This is an evidence pack of Lyra: what the verdicts of one research task rest on.

  manifest.json             the SHA-256 of every other file, and where each archived record begins
  graph.jsonl               pages, fragments, claims and verdicts, quotes, stances, citations; a JSON object a line
  archive/records.warc.gz   the answers of the servers as they came, in WARC 1.1
  report/                   the report as Lyra wrote it
  models/                   the cards of the models that judged
  screenshots/              what a browser saw, where one was used

`lyra verify PACK` checks every hash and finds every quote in the archived bytes; it needs no data of Lyra. That shows
that the pack is consistent. Who made it is shown by a signature, or by the SHA-256 of the whole file from its maker.
"""


@dataclass(frozen=True, slots=True)
class PackedFile:
    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PackedRecord:
    """An archived answer: its id and its place in the WARC file of the pack."""

    record_id: str
    url: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """`missing` are addresses of evidence whose record the archive no longer had; `models` names those that judged.
    Older packs name only one of several pages that were read from the same record."""

    task_id: str
    question: str
    lyra_version: str
    graph_digest: str
    last_change: str
    files: tuple[PackedFile, ...]
    records: tuple[PackedRecord, ...] = ()
    missing: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    format: str = FORMAT
    version: int = VERSION

    def to_bytes(self) -> bytes:
        return (json.dumps(asdict(self), ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(
            "utf-8", "surrogatepass"
        )


def parse_manifest(data: bytes) -> Manifest:
    """Raises InvalidParams where it is none, or one of a newer Lyra."""
    try:
        fields = json.loads(data)
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise broken("it is not an evidence pack")
        if fields.get("version") != VERSION:
            raise InvalidParams("The pack was made by a newer Lyra.", remedy="Update Lyra.")
        found: Manifest = from_json(Manifest, json.dumps(fields))
        if found.to_bytes() != data:
            raise broken("its manifest is not written as it must be", MANIFEST)
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as exc:
        raise broken("its manifest cannot be read", MANIFEST) from exc
    return found


def quotes_by_fragment(graph: TaskEvidence) -> dict[str, tuple[str, ...]]:
    """The words that are quoted from each fragment: where it states a claim, and where it speaks for or against one."""
    found: dict[str, tuple[str, ...]] = {}
    spoken: tuple[EvidenceMention | EvidenceEdge, ...] = (*graph.mentions, *graph.edges)
    for one in spoken:
        if one.quote:
            found[one.fragment_id] = (*found.get(one.fragment_id, ()), one.quote)
    return found


def quotes_by_page(graph: TaskEvidence) -> dict[str, tuple[str, ...]]:
    """The words that are quoted from each page, by its id."""
    quotes = quotes_by_fragment(graph)
    found: dict[str, tuple[str, ...]] = {}
    for one in graph.fragments:
        found[one.page_id] = (*found.get(one.page_id, ()), *quotes.get(one.id, ()))
    return found


def graph_lines(evidence: TaskEvidence) -> Iterable[bytes]:
    """The graph, a JSON object a line."""
    for kind, name in _NAMES.items():
        for one in getattr(evidence, name):
            row = {"kind": kind, **asdict(one)}
            line = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            yield (line + "\n").encode("utf-8", "surrogatepass")


def parse_graph(data: bytes) -> TaskEvidence:
    """Raises InvalidParams where the lines are no graph."""
    found: dict[str, list[Any]] = {name: [] for name in _NAMES.values()}
    try:
        for line in data.decode("utf-8", "surrogatepass").split("\n")[:-1]:
            kind = json.loads(line)["kind"]
            found[_NAMES[kind]].append(from_json(_KINDS[kind], line))
        graph = TaskEvidence(**{name: tuple(rows) for name, rows in found.items()})
        if b"".join(graph_lines(graph)) != data:
            raise broken("its lines are not written as they must be", GRAPH)
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as exc:
        raise broken("its lines cannot be read", GRAPH) from exc
    return graph
