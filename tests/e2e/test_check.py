"""A draft checked against what a task has read: by the command line, the prompt and the resource."""

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

FAILURES = [("citation", "source_missing"), ("quotation", "misquoted")]
INVENTED = "Horses sleep on moonlit meadows of the steppe"
UNREAD = "So it is (https://nobody.example/)."
PAGE = """
    select p.url, f.text_content from fragments f join pages p on p.id = f.page_id
    where f.fragment_type = 'paragraph' and f.language = 'en' and length(f.text_content) between 80 and 300
        and instr(f.text_content, '"') = 0 order by f.seq
"""


@pytest.fixture
def draft(researched: Any) -> str:
    """True words of a page that the task has read, words that nobody wrote, and a page that was not read."""
    row = researched.face.rows(PAGE)[0]
    quoted = [f'It says: "{words}" ({row["url"]}).' for words in (row["text_content"], INVENTED)]
    return "\n\n".join((*quoted, UNREAD, ""))


def test_the_same_failures_by_every_way(researched: Any, draft: str, lyra_here: Any, tmp_path: Any) -> None:
    """Exit code 1 on the command line; a prompt with the text; a resource with a file of the folder of reports."""
    face, task, home = researched.face, researched.task_id, researched.data_dir
    (home / "reports").mkdir(exist_ok=True)
    for file in (tmp_path / "draft.md", home / "reports" / "draft.md"):
        file.write_text(draft, "utf-8")

    told = lyra_here("check", str(tmp_path / "draft.md"), "--task", task, "--json", data_dir=home)
    prompt = face.portal.call(face.client.get_prompt, "check", {"task_id": task, "draft": draft})
    read = face.portal.call(face.client.read_resource, f"lyra://tasks/{task}/check/draft.md").contents[0].text

    answers = (told.json, json.loads(prompt.messages[0].content.text.splitlines()[-1]), json.loads(read))
    assert told.code == 1
    assert [sorted(_failed(fields)) for fields in answers] == [FAILURES] * 3


def _failed(fields: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["kind"], one["status"]) for one in fields["findings"] if one["status"] != "resolved"]


@pytest.mark.parametrize("name", ["..%2Fsettings.toml", "..%2F..%2Fetc%2Fpasswd.md", "lyra.db", "none.md", "%00.md"])
def test_no_other_file_can_be_named(researched: Any, name: str) -> None:
    """Only drafts in the folder of reports are read for a client."""
    face = researched.face

    with pytest.raises(MCPError, match="There is no draft"):
        face.portal.call(face.client.read_resource, f"lyra://tasks/{researched.task_id}/check/{name}")
