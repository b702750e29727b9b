"""Prompts: a research session, a refutation pass, a review, the report. Their texts are in `prompts/*.md`."""

from dataclasses import dataclass
from importlib.resources import files

import mcp_types as types
from mcp.shared.exceptions import MCPError


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with one argument, filled into its text."""

    name: str
    title: str
    description: str
    argument: str
    argument_description: str


PROMPTS = (
    Prompt(
        "research", "Research a question", "A whole session, from hypotheses to answer.", "question", "The question."
    ),
    Prompt("refute", "Try to refute", "A pass against what a task has found.", "task_id", "Id of the task."),
    Prompt("review", "Review stances", "What would turn verdicts, read and corrected.", "task_id", "Id of the task."),
    Prompt("report", "Write the report", "The report of a task from its evidence.", "task_id", "Id of the task."),
)


def listed() -> list[types.Prompt]:
    return [
        types.Prompt(
            name=one.name,
            title=one.title,
            description=one.description,
            arguments=[types.PromptArgument(name=one.argument, description=one.argument_description, required=True)],
        )
        for one in PROMPTS
    ]


def get(name: str, arguments: dict[str, str]) -> types.GetPromptResult:
    """The filled prompt; an unknown name or a missing argument is a protocol error."""
    found = next((one for one in PROMPTS if one.name == name), None)
    if found is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {name[:60]!r}.")
    value = arguments.get(found.argument, "").strip()
    if not value:
        raise MCPError(code=types.INVALID_PARAMS, message=f"The prompt {name} needs {found.argument}.")
    text = files("lyra.mcp").joinpath("prompts", f"{name}.md").read_text("utf-8")
    filled = text.replace("{" + found.argument + "}", value)
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=filled))
    return types.GetPromptResult(description=found.description, messages=[message])
