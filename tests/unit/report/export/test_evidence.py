"""The JSON export: what `jsonschema` finds valid, and what it holds."""

import json
from typing import Any

import jsonschema

from lyra.report.export.evidence import SCHEMA_ID, json_text
from lyra.report.export.names import ExportFormat, schema_text
from tests.export_data import HASH, WORDS, Exports, many_records


def strict(schema: Any) -> Any:
    """The same schema, for which a field that it does not name is an error."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**{name: strict(one) for name, one in schema.items()}, **closed}


def loaded(exports: Exports) -> Any:
    return json.loads(exports.text(ExportFormat.JSON))


def test_the_schema_is_a_schema_and_names_its_version() -> None:
    """Draft 2020-12; the `$id` has the number before the point."""
    schema = json.loads(schema_text())

    jsonschema.Draft202012Validator.check_schema(schema)
    assert (schema["$id"], schema["properties"]["schema"]["const"]) == (SCHEMA_ID, SCHEMA_ID)


def test_hostile_records_are_valid(hostile: Exports) -> None:
    """Every field is one that the schema names."""
    jsonschema.Draft202012Validator(strict(json.loads(schema_text()))).validate(loaded(hostile))


def test_a_task_without_claims_is_valid() -> None:
    """Its lists are empty."""
    found = json.loads(json_text(many_records(0)))

    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(found)
    assert (found["claims"], found["sources"], found["citations"]) == ([], [], [])


def test_no_claim_and_3000_claims(sized: Exports) -> None:
    """In the order of the records."""
    found = loaded(sized)

    assert [one["id"] for one in found["claims"]] == [one.claim.id for one in sized.records.claims]


def test_a_wrong_export_is_not_valid(hostile: Exports) -> None:
    """The schema tells: here a stance that there is none of."""
    found = loaded(hostile)
    found["claims"][0]["supports"][0]["stance"] = "neutral"

    errors = list(jsonschema.Draft202012Validator(json.loads(schema_text())).iter_errors(found))

    assert [list(one.absolute_path) for one in errors] == [["claims", 0, "supports", 0, "stance"]]


def test_a_quote_has_its_place_hashes_vote_and_review(hostile: Exports) -> None:
    """Places are those of the page's text, whatever was left out of the quote."""
    first, second = loaded(hostile)["claims"][0]["supports"]
    (third,) = loaded(hostile)["claims"][0]["refutes"]

    names = ("stance", "char_start", "char_end", "text_hash", "content_hash", "votes", "no_vote", "is_retracted")
    assert [first[name] for name in names] == ["supports", 120, 146, HASH, HASH[::-1], True, None, False]
    assert [third[name] for name in names] == ["refutes", 0, 10, HASH, HASH[::-1], False, "retracted", True]
    assert (first["review"], second["review"]["judged_relation"]) == (None, "refutes")
    assert (first["quote"], second["char_end"] - second["char_start"] > len(second["quote"])) == (WORDS, True)


def test_the_parts_of_a_judged_text_have_their_places_in_what_remains(hostile: Exports) -> None:
    """A mark that turned the text around is gone; the deciding words are where the part says."""
    judged = loaded(hostile)["claims"][0]["supports"][0]["judged_text"]

    assert judged["text"] == f"Title. {WORDS}"
    assert [judged["text"][part["start"] : part["end"]] for part in judged["parts"]] == ["Title.", WORDS]


def test_nothing_that_controls_or_turns_leaves(hostile: Exports) -> None:
    """In no format; halves of characters have no bytes."""
    hidden = "\x00\x1b\u202e\u202c"

    found = [
        (path.name, char)
        for path in hostile.folder.rglob("*")
        if path.is_file()
        for char in hidden
        if char in path.read_text("utf-8")
    ]
    assert found == []


def test_sources_and_citations(hostile: Exports) -> None:
    """Every source once, by address, and who cites whom."""
    found = loaded(hostile)

    assert [(one["page_id"], one["is_retracted"]) for one in found["sources"]] == [
        ("p_1", False),
        ("p_2", True),
        ("p_3", False),
    ]
    assert found["citations"] == [{"citing": "p_1", "cited": "p_2"}, {"citing": "p_3", "cited": "p_1"}]
