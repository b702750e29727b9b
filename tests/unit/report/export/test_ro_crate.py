"""The RO-Crate as ro-crate-py reads it."""

import hashlib
import json

from rocrate.rocrate import ROCrate

from lyra.report.export.names import TEXT_FORMATS, ExportFormat
from lyra.text import preview
from tests.export_data import Exports

PARTS = [*(one.name for one in TEXT_FORMATS.values()), "evidence.schema.json", "report.md"]


def test_the_crate_describes_every_file(hostile: Exports) -> None:
    """By size, media type and SHA-256, and there is no file besides."""
    folder = hostile.path(ExportFormat.RO_CRATE)

    crate = ROCrate(folder)

    files = {one.id: one for one in crate.get_by_type("File")}
    assert sorted(files) == sorted(PARTS)
    assert {path.name for path in folder.iterdir()} == {*PARTS, "ro-crate-metadata.json"}
    assert {name: one["sha256"] for name, one in files.items()} == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in PARTS
    }


def test_the_root_names_the_question_and_its_sources(hostile: Exports) -> None:
    """As one data set with a day, terms and the works that it quotes."""
    root = ROCrate(hostile.path(ExportFormat.RO_CRATE)).root_dataset

    assert (root["name"], root["identifier"]) == (preview(hostile.records.task.query, 200), hostile.records.task.id)
    assert [root["datePublished"], root["license"].id] == ["2026-03-01", "#terms"]
    assert [(one.id, one.type, one.get("creativeWorkStatus")) for one in root["citation"]] == [
        ("https://a.example/%7Bx%7D?q=1&r=2", "ScholarlyArticle", None),
        ("https://b.example/y", "WebPage", "Retracted"),
        ("https://c.example/z", "WebPage", None),
    ]


def test_the_metadata_are_flat_json_ld_of_version_1_2(hostile: Exports) -> None:
    """Every entity has an identifier of its own, and every reference leads to one of them."""
    metadata = json.loads((hostile.path(ExportFormat.RO_CRATE) / "ro-crate-metadata.json").read_bytes())

    entities = metadata["@graph"]
    named = [one["@id"] for one in entities]
    values = [value for one in entities for value in one.values()]
    listed = [one for value in values for one in (value if isinstance(value, list) else [value])]
    led_to = {one["@id"] for one in listed if isinstance(one, dict)}
    assert (metadata["@context"], entities[0]["conformsTo"]) == (
        "https://w3id.org/ro/crate/1.2/context",
        {"@id": "https://w3id.org/ro/crate/1.2"},
    )
    assert len(named) == len(set(named))
    assert led_to - set(named) == {"https://w3id.org/ro/crate/1.2"}


def test_the_files_are_the_exports(hostile: Exports) -> None:
    """To the byte."""
    folder = hostile.path(ExportFormat.RO_CRATE)

    written = {wanted: (folder / one.name).read_bytes() for wanted, one in TEXT_FORMATS.items()}

    assert written == {wanted: hostile.path(wanted).read_bytes() for wanted in TEXT_FORMATS}


def test_no_claim_and_3000_claims(sized: Exports) -> None:
    """A crate without any source is a crate."""
    root = ROCrate(sized.path(ExportFormat.RO_CRATE)).root_dataset

    assert len(root.get("citation") or []) == len(sized.records.sources)
