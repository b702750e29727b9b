"""How long wait_for_user holds a call: what telling the person takes is part of it."""

from dataclasses import replace
from pathlib import Path

from lyra.app import Lyra
from lyra.handoff.desktop import Notification
from lyra.handoff.notify import Notifier
from lyra.handoff.questions import Questions
from lyra.mcp.boundary import Boundary
from lyra.mcp.tools.handoff import TOOLS
from lyra.research.searches import no_progress
from lyra.settings import load
from tests.clocks import HeldClock


class SlowDesktop:
    """A notification daemon that thinks for five seconds."""

    name = "slow"

    def __init__(self, clock: HeldClock) -> None:
        self._clock = clock

    def why_unavailable(self) -> str | None:
        return None

    async def show(self, message: Notification) -> str | None:
        await self._clock.sleep(5)
        return "it did not answer"


async def test_a_slow_desktop_does_not_lengthen_the_call(tmp_path: Path) -> None:
    """25 s in all (SPEC §2), five of them for the desktop; then the question is pending under its id."""
    clock = HeldClock()
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as lyra:
        slow = replace(
            lyra,
            clock=clock,
            notifier=Notifier(lyra.db, clock, [SlowDesktop(clock)]),
            questions=Questions(lyra.db, clock),
        )
        boundary = Boundary(slow, TOOLS, max_answer_bytes=24_000)
        answer = await boundary.call("wait_for_user", {"prompt": "続けますか"}, no_progress)

    assert (answer["status"], answer["timed_out"], clock.monotonic()) == ("pending", False, 25.0)
