"""A process group ends as one, and its end is waited for."""

import os
import sys

import psutil

from lyra.fetch.browser.process import ProcessGroup

# Twenty children that each hold 30 MB: the kernel needs a while to take them away.
_HEAVY = (
    "import os, signal, time\n"
    "for _ in range(20):\n"
    "    if os.fork() == 0:\n"
    "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "        held = bytearray(b'x') * 30_000_000\n"
    "        os.write(1, b'.')\n"
    "        time.sleep(300)\n"
    "time.sleep(300)\n"
)


def living_in(group: int) -> list[int]:
    found = []
    for process in psutil.process_iter(["status"]):
        try:
            is_member = os.getpgid(process.pid) == group
        except ProcessLookupError:
            continue
        if is_member and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process.pid)
    return found


async def test_nothing_of_the_group_lives_when_its_end_returns() -> None:
    """Children that ignore the first signal and die slowly are gone too, not only killed."""
    reading, writing = os.pipe()
    family = ProcessGroup.start([sys.executable, "-c", _HEAVY], os.environ, writing)
    os.close(writing)
    started = b""
    while len(started) < 20:
        started += os.read(reading, 20)
    living_before = len(living_in(family.pid))

    await family.end()
    living_after = living_in(family.pid)

    os.close(reading)
    assert living_before == 21
    assert living_after == []
