"""Prompts as a client gets them."""

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, TextContent

from lyra.mcp import prompting
from lyra.mcp.server import TOOLS


def words(name: str, **arguments: str) -> str:
    (message,) = prompting.get(name, arguments).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


def test_five_prompts_with_their_required_arguments() -> None:
    """A session, a refutation pass, a review, the report, and the check of a draft."""
    listed = [(one.name, [(a.name, a.required) for a in one.arguments or ()]) for one in prompting.listed()]

    assert listed == [
        ("research", [("question", True)]),
        ("refute", [("task_id", True)]),
        ("review", [("task_id", True)]),
        ("report", [("task_id", True)]),
        ("check", [("task_id", True), ("draft", True)]),
    ]


def test_the_argument_is_filled_in_everywhere() -> None:
    """Also where the value itself has braces; no placeholder is left."""
    asked = words("research", question="DPP-4阻害薬は{安全}か？")
    refute = words("refute", task_id="task_1a2b3c4d5e6f")

    assert asked.splitlines()[0] == "Research this question with Lyra: DPP-4阻害薬は{安全}か？"
    assert (refute.count("task_1a2b3c4d5e6f"), "{task_id}" in refute) == (2, False)


@pytest.mark.parametrize("name", ["research", "refute", "review", "report"])
def test_prompts_name_only_tools_that_are_there(name: str) -> None:
    """A model that is told of a tool which does not exist calls it."""
    text = words(name, question="x", task_id="x")

    known = {tool.name for tool in TOOLS}
    named = {word for word in text.replace("(", " ").split() if word in _ALL}
    assert named - known == set()


_ALL = frozenset(
    "create_task get_status search stop_task query_graph vector_search calibrate calibrate_rollback get_auth_queue"
    " resolve_auth notify_user wait_for_user".split()
)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("invent", {"question": "x"}), ("research", {}), ("research", {"question": "  "})],
    ids=["unknown", "missing", "empty"],
)
def test_wrong_prompts_are_protocol_errors(name: str, arguments: dict[str, str]) -> None:
    """With the code for invalid parameters and a sentence."""
    with pytest.raises(MCPError) as refused:
        prompting.get(name, arguments)

    assert refused.value.error.code == INVALID_PARAMS
