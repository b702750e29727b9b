"""Prompts: a research session, a refutation pass, a review, the report, a check. Their texts are in `prompts/*.md`."""

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import mcp_types as types
from mcp.shared.exceptions import MCPError

from lyra.errors import LyraError

if TYPE_CHECKING:
    from lyra.app import Lyra


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its argument, which is filled into its text, and for a check the draft."""

    name: str
    title: str
    description: str
    argument: str
    argument_description: str
    draft_description: str = ""

    @property
    def arguments(self) -> dict[str, str]:
        """Names and descriptions."""
        draft = {_DRAFT: self.draft_description} if self.draft_description else {}
        return {self.argument: self.argument_description, **draft}


CHECK = "check"
_DRAFT = "draft"
PROMPTS = (
    Prompt(
        "research", "Research a question", "A whole session, from hypotheses to answer.", "question", "The question."
    ),
    Prompt("refute", "Try to refute", "A pass against what a task has found.", "task_id", "Id of the task."),
    Prompt("review", "Review stances", "What would turn verdicts, read and corrected.", "task_id", "Id of the task."),
    Prompt("report", "Write the report", "The report of a task from its evidence.", "task_id", "Id of the task."),
    Prompt(
        CHECK,
        "Check a draft",
        "Every citation, quotation and figure of a draft, verified against what a task has read.",
        "task_id",
        "Id of the task.",
        "The text itself, or the name of a file in Lyra's folder of reports.",
    ),
)


def listed() -> list[types.Prompt]:
    return [
        types.Prompt(
            name=one.name,
            title=one.title,
            description=one.description,
            arguments=[
                types.PromptArgument(name=name, description=description, required=True)
                for name, description in one.arguments.items()
            ],
        )
        for one in PROMPTS
    ]


def get(name: str, arguments: dict[str, str]) -> types.GetPromptResult:
    """The filled prompt; an unknown name or a missing argument is a protocol error."""
    found = next((one for one in PROMPTS if one.name == name), None)
    if found is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {name[:60]!r}.")
    missing = next((one for one in found.arguments if not arguments.get(one, "").strip()), None)
    if missing is not None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"The prompt {name} needs {missing}.")
    text = files("lyra.mcp").joinpath("prompts", f"{name}.md").read_text("utf-8")
    filled = text.replace("{" + found.argument + "}", arguments[found.argument].strip())
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=filled))
    return types.GetPromptResult(description=found.description, messages=[message])


async def get_check(lyra: "Lyra", arguments: dict[str, str]) -> types.GetPromptResult:
    """The prompt of a check with its result; clients whose model cannot read resources get it this way."""
    from lyra.mcp.drafts import check_draft  # lazy: the other prompts need none of it

    prompt = get(CHECK, arguments)
    try:
        result = await check_draft(lyra, arguments["task_id"].strip(), arguments[_DRAFT], with_resolved=False)
    except LyraError as exc:
        raise MCPError(code=types.INVALID_PARAMS, message=exc.message, data={"error_code": exc.code}) from exc
    (message,) = prompt.messages
    assert isinstance(message.content, types.TextContent)
    content = types.TextContent(type="text", text=message.content.text.replace("{result}", result))
    return types.GetPromptResult(
        description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
    )
