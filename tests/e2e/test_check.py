"""A draft checked against what a task has read: by the command line, the prompt and the resource."""

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

SOURCE = "https://www.nimeth.gov/health-topics/dpp-4-inhibitors"
DRAFT = f"""On average a DPP-4 inhibitor lowers HbA1c by 0.5 to 0.9 percentage points ({SOURCE}).

Somebody said: "Horses sleep on moonlit meadows of the steppe" (https://nobody.example/).
"""
FAILURES = [("number", "other_number"), ("quotation", "misquoted"), ("citation", "source_missing")]


@pytest.fixture
def cited(researched: Any) -> Any:
    """The research, which has read the cited page."""
    rows = researched.face.rows(f"select url from pages where url = '{SOURCE}'")
    assert [row["url"] for row in rows] == [SOURCE]
    return researched


def test_the_same_failures_by_every_way(cited: Any, lyra: Any, tmp_path: Any) -> None:
    """Exit code 1 on the command line; a prompt with the text; a resource with a file of the folder of reports."""
    face, task, home = cited.face, cited.task_id, cited.data_dir
    (home / "reports").mkdir(exist_ok=True)
    for file in (tmp_path / "draft.md", home / "reports" / "draft.md"):
        file.write_text(DRAFT, "utf-8")

    told = lyra("check", str(tmp_path / "draft.md"), "--task", task, "--json", data_dir=home)
    prompt = face.portal.call(face.client.get_prompt, "check", {"task_id": task, "draft": DRAFT})
    read = face.portal.call(face.client.read_resource, f"lyra://tasks/{task}/check/draft.md").contents[0].text

    answers = (told.json, json.loads(prompt.messages[0].content.text.splitlines()[-1]), json.loads(read))
    assert told.code == 1
    for fields in answers:
        failed = [(one["kind"], one["status"]) for one in fields["findings"] if one["status"] != "resolved"]
        assert sorted(failed) == sorted(FAILURES)


@pytest.mark.parametrize("name", ["..%2Fsettings.toml", "..%2F..%2Fetc%2Fpasswd.md", "lyra.db", "none.md", "%00.md"])
def test_no_other_file_can_be_named(researched: Any, name: str) -> None:
    """Only drafts in the folder of reports are read for a client."""
    face = researched.face

    with pytest.raises(MCPError, match="There is no draft"):
        face.portal.call(face.client.read_resource, f"lyra://tasks/{researched.task_id}/check/{name}")
