"""How far a process and what it starts stand back, as the kernel tells it."""

import subprocess
import sys
from pathlib import Path

import pytest

# Stands back, starts a process in a session of its own, and shows what the kernel has about both.
SCRIPT = """
import os, subprocess, sys
from pathlib import Path
from lyra import scheduling

scheduling.lower_priority(7)
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
scheduling.lower_child_priority(child.pid)
for pid in (os.getpid(), child.pid):
    group = Path(f"/proc/{pid}/autogroup").read_text().split(" ", 1)[1].strip()
    print(group, "and", os.getpriority(os.PRIO_PROCESS, pid))
child.kill()
child.wait()
"""


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="the kernel has no groups of sessions")
def test_a_process_and_what_it_starts_stand_back_with_their_sessions() -> None:
    """Both the process and its session: with the first alone, searches took as much of the processor as readers."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], start_new_session=True, capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == ["nice 7 and 7", "nice 7 and 7"]
