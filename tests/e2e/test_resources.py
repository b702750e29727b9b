"""Resources through the client: schema, views, and what a task leaves to read."""

import hashlib
import json
from typing import Any

import apsw
import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS


def text(face: Any, uri: str) -> tuple[str, str]:
    (content,) = face.portal.call(face.client.read_resource, uri).contents
    return content.mime_type, content.text


def test_everything_that_can_be_read_is_listed(researched: Any) -> None:
    """Three fixed addresses and nine for each task."""
    face = researched.face

    fixed = [(one.name, str(one.uri)) for one in face.portal.call(face.client.list_resources).resources]
    listed = face.portal.call(face.client.list_resource_templates).resource_templates
    prompts = [one.name for one in face.portal.call(face.client.list_prompts).prompts]

    assert fixed == [
        ("schema", "lyra://schema"),
        ("views", "lyra://views"),
        ("evidence-schema", "lyra://evidence-schema"),
    ]
    assert [one.uri_template for one in listed] == [
        "lyra://tasks/{task_id}/report",
        "lyra://tasks/{task_id}/evidence.json",
        "lyra://tasks/{task_id}/bibliography.bib",
        "lyra://tasks/{task_id}/bibliography.ris",
        "lyra://tasks/{task_id}/bibliography.csl.json",
        "lyra://tasks/{task_id}/evidence.csv",
        "lyra://tasks/{task_id}/graph.graphml",
        "lyra://tasks/{task_id}/check/{file}",
        "lyra://tasks/{task_id}/recheck.json",
    ]
    assert prompts == ["research", "refute", "review", "report", "check"]


def test_schema_and_views_are_those_of_query_graph(researched: Any) -> None:
    """Every view that is named can be asked, and tells what it is for."""
    schema = json.loads(text(researched.face, "lyra://schema")[1])
    views = json.loads(text(researched.face, "lyra://views")[1])

    asked = researched.face.call("query_graph", sql="select 1", options={"include_schema": True})["schema"]
    assert sorted(row["name"] for row in (*schema, *views)) == sorted(row["name"] for row in asked)
    assert [row["name"] for row in views if not row.get("purpose")] == []


def test_a_tasks_report_evidence_and_bibliography(researched: Any, lyra_here: Any) -> None:
    """The same as the command line exports."""
    home, task = researched.data_dir, researched.task_id

    report = text(researched.face, f"lyra://tasks/{task}/report")
    evidence = text(researched.face, f"lyra://tasks/{task}/evidence.json")
    sources = text(researched.face, f"lyra://tasks/{task}/bibliography.bib")

    assert report == ("text/markdown", lyra_here("export", task, "-f", "report", data_dir=home).out)
    assert (evidence[0], json.loads(evidence[1])) == ("application/json", lyra_here("export", task, data_dir=home).json)
    assert sources == ("application/x-bibtex", lyra_here("export", task, "-f", "bibtex", data_dir=home).out)


def test_evidence_holds_to_the_published_schema(researched: Any) -> None:
    """Which the server gives too; every quote is in the text of its page at its place."""
    schema = json.loads(text(researched.face, "lyra://evidence-schema")[1])
    evidence = json.loads(text(researched.face, f"lyra://tasks/{researched.task_id}/evidence.json")[1])

    jsonschema.Draft202012Validator(schema).validate(evidence)
    quotes = [one for claim in evidence["claims"] for one in (*claim["supports"], *claim["refutes"])]
    with apsw.Connection(str(researched.data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY) as database:
        pages = dict(database.execute("select id, text_content from pages"))
    assert quotes != []
    assert [pages[one["page_id"]][one["char_start"] : one["char_end"]] for one in quotes] == [
        one["quote"] for one in quotes
    ]
    assert {one["page_id"]: one["text_hash"] for one in quotes} == {
        one["page_id"]: hashlib.sha256(pages[one["page_id"]].encode()).hexdigest() for one in quotes
    }


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("lyra://nothing", "There is no resource"),
        ("lyra://tasks/task_000000000000/report", "There is no task"),
        ("lyra://tasks/task_000000000000/secrets", "There is no resource"),
        ("file:///etc/passwd", "There is no resource"),
    ],
    ids=["unknown", "no task", "no part", "foreign"],
)
def test_wrong_addresses_are_protocol_errors(researched: Any, uri: str, words: str) -> None:
    """With the code for invalid parameters and a sentence that says which."""
    with pytest.raises(MCPError, match=words) as refused:
        text(researched.face, uri)

    assert refused.value.error.code == INVALID_PARAMS
