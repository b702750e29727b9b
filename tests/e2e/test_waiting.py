"""wait_for_user as both kinds of clients live it: with a window of their own, on either protocol era, and without."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from anyio.from_thread import BlockingPortal
from mcp import Client, StdioServerParameters

CHOICES = ["続ける", "やめる"]


@contextmanager
def windowed(
    portal: BlockingPortal, data_dir: Path, mode: str, respond: Callable[[types.ElicitRequestFormParams], Any]
) -> Iterator[Callable[..., dict[str, Any]]]:
    """A client with a window in which `respond` answers; gives what calls a tool."""

    async def window(_: Any, asked: types.ElicitRequestFormParams) -> types.ElicitResult:
        return types.ElicitResult.model_validate(respond(asked))

    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    args = ["-m", "lyra", "--data-dir", str(data_dir), "serve"]
    server = StdioServerParameters(command=sys.executable, args=args, env=own)
    with portal.wrap_async_context_manager(Client(server, mode=mode, elicitation_callback=window)) as client:

        def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return dict(portal.call(lambda: client.call_tool(tool, arguments)).structured_content or {})

        yield call


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_with_a_window_asks_there(portal: BlockingPortal, tmp_path: Path, mode: str) -> None:
    """The prompt comes as a form with its choices; a person may answer, decline, or close the window, which leaves the
    question open."""
    asked: list[types.ElicitRequestFormParams] = []
    responses = [{"action": "accept", "content": {"answer": "やめる"}}, {"action": "decline"}, {"action": "cancel"}]

    def respond(form: types.ElicitRequestFormParams) -> dict[str, Any]:
        asked.append(form)
        return responses[len(asked) - 1]

    with windowed(portal, tmp_path, mode, respond) as call:
        answered = call("wait_for_user", prompt="続けますか？", options={"choices": CHOICES})
        declined = call("wait_for_user", prompt="Your library's name?")
        closed = call("wait_for_user", prompt="Your library's name?", options={"wait_seconds": 0})

    assert (answered["ok"], answered["status"], answered["response"]) == (True, "answered", "やめる")
    assert (answered["choice_index"], answered["timed_out"]) == (1, False)
    assert asked[0].message == "続けますか？"
    assert asked[0].requested_schema["properties"]["answer"]["enum"] == CHOICES
    assert (declined["status"], declined["timed_out"], "response" in declined) == ("declined", False, False)
    assert (closed["status"], closed["timed_out"]) == ("pending", False)


def test_wrong_arguments_are_refused_before_anybody_is_asked(portal: BlockingPortal, tmp_path: Path) -> None:
    """An empty prompt, or two choices that are the same, is the client's error."""
    with windowed(portal, tmp_path, "auto", lambda _: pytest.fail("nobody should be asked")) as call:
        empty = call("wait_for_user", prompt="  ")
        same = call("wait_for_user", prompt="Go on?", options={"choices": ["Yes", "yes"]})
        unknown = call("wait_for_user", options={"wait_id": "wait_000000000000"})

    assert [one["error_code"] for one in (empty, same, unknown)] == ["INVALID_PARAMS"] * 3


def test_without_a_window_the_terminal_answers_also_across_a_restart(
    connect: Any, lyra_here: Any, tmp_path: Path
) -> None:
    """Pending with a wait_id; answered by `lyra answer` while no server runs; read by the next server."""
    with connect(tmp_path) as face:
        pending = face.call("wait_for_user", prompt="続けますか？", options={"choices": CHOICES, "wait_seconds": 0})
    wait_id = pending["wait_id"]

    said = lyra_here("answer", wait_id, "1", "--json", data_dir=tmp_path)
    second = lyra_here("answer", wait_id, "2", "--json", data_dir=tmp_path)
    with connect(tmp_path) as face:
        answer = face.call("wait_for_user", options={"wait_id": wait_id})

    assert (pending["status"], pending["timed_out"]) == ("pending", False)
    assert (said.code, said.json["status"], said.json["response"]) == (0, "answered", "続ける")
    assert (second.code, second.json["error_code"]) == (2, "INVALID_PARAMS")
    assert (answer["status"], answer["response"], answer["choice_index"]) == ("answered", "続ける", 0)


def test_an_answer_after_the_time_out_is_late_for_everybody(connect: Any, lyra_here: Any, tmp_path: Path) -> None:
    """The client hears that time ran out; the person that it came too late; it is kept all the same."""
    with connect(tmp_path) as face:
        waited = face.call("wait_for_user", prompt="Go on?", options={"timeout_seconds": 0.2})
        said = lyra_here("answer", waited["wait_id"], "Yes", data_dir=tmp_path)
        late = face.call("wait_for_user", options={"wait_id": waited["wait_id"]})

    assert (waited["status"], waited["timed_out"], "response" in waited) == ("timed_out", True, False)
    assert (
        said.out == "The client no longer waits. Your answer is kept, marked late, and it sees it when it asks again.\n"
    )
    assert (late["status"], late["timed_out"], late["response"]) == ("timed_out", True, "Yes")
    assert late["note"].endswith("s after the time-out.")


def test_what_is_typed_and_is_no_text_is_refused(connect: Any, tmp_path: Path) -> None:
    """Bytes of another encoding: the question stays open, and nobody waits for a thread that has died."""
    with connect(tmp_path) as face:
        wait_id = face.call("wait_for_user", prompt="Which hospital?", options={"wait_seconds": 0})["wait_id"]
    command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "answer", wait_id, "--json"]
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}

    done = subprocess.run(
        command, input=b"\x93\x8c\x91\xe5\n", env=strict, capture_output=True, timeout=60, check=False
    )
    again = subprocess.run(command, input="東大\n".encode(), env=strict, capture_output=True, timeout=60, check=False)

    assert (done.returncode, json.loads(done.stdout)["error_code"]) == (2, "INVALID_PARAMS")
    assert (again.returncode, json.loads(again.stdout)["response"]) == (0, "東大")
