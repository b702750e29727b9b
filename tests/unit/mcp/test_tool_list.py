"""The tool list is in every client's context all the time, so its size is a promise."""

import json

from lyra.mcp.server import TOOLS, describe


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


TWELVE = {
    "create_task", "get_status", "search", "stop_task", "query_graph", "vector_search", "calibrate",
    "calibrate_rollback", "get_auth_queue", "resolve_auth", "notify_user", "wait_for_user",
}  # fmt: skip


def test_there_are_twelve_tools() -> None:
    """The promise below is about all of them (SPEC §1, decision 1)."""
    assert {tool.name for tool in TOOLS} == TWELVE


def test_names_descriptions_and_inputs_take_at_most_10_kb() -> None:
    """Whatever tools are registered, this is what a model reads before it has done anything."""
    listed = [describe(tool) for tool in TOOLS]

    taken = size([[tool.name, tool.description, tool.input_schema] for tool in listed])

    assert taken <= 10_000


def test_the_whole_list_takes_at_most_24_kb_on_the_wire() -> None:
    """With titles, hints and output schemas."""
    listed = [describe(tool).model_dump(by_alias=True, mode="json", exclude_none=True) for tool in TOOLS]

    taken = size(listed)

    assert taken <= 24_000


def test_every_tool_is_described_hinted_and_typed() -> None:
    """A tool without a hint is asked about each time; one without an output schema gives no structured answer."""
    listed = [describe(tool) for tool in TOOLS]

    hints = {
        tool.name: None in tool.annotations.model_dump(include=_HINTS).values() for tool in listed if tool.annotations
    }
    outputs = {tool.name: (tool.output_schema or {}).get("required") for tool in listed}

    names = [tool.name for tool in TOOLS]
    assert hints == dict.fromkeys(names, False)
    assert outputs == {name: ["ok"] for name in names}
    assert len(names) == len(set(names))


_HINTS = {"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}
