"""How far a process stands back in the line for the processor, with its session.

Linux shares the processor among sessions first where `kernel.sched_autogroup_enabled` is set (the default) and no
control group does so (sched(7), "The autogroup feature"): a nice value counts within its own session alone. Measured on
one core against a process of another session: nice 10 got 50 % of what was left to both, nice 10 with its session 13 %.
"""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

_PROC = Path("/proc")
# The kernel takes one change in a tenth of a second from users other than root.
_PAUSE_S = 0.11
_ATTEMPTS = 5


def lower_priority(niceness: int) -> None:
    """Let others go first from now on: this process, and its session where it is the one who leads it."""
    if not hasattr(os, "nice"):
        return
    value = os.nice(niceness)
    if os.getsid(0) == os.getpid():
        lower_session(os.getpid(), value)


def lower_child_priority(pid: int) -> None:
    """Let a process that was started in a session of its own stand back as far as this one does."""
    if hasattr(os, "getpriority"):
        lower_session(pid, os.getpriority(os.PRIO_PROCESS, 0))


def lower_session(
    pid: int, niceness: int, *, proc: Path = _PROC, sleep: Callable[[float], object] = time.sleep
) -> None:
    """Give the session of this process a nice value; one of 0 or less changes nothing, nor does another system."""
    path = proc / str(pid) / "autogroup"
    for _ in range(_ATTEMPTS if niceness > 0 and path.exists() else 0):
        try:
            path.write_text(str(niceness))
        except OSError as exc:
            if exc.errno != errno.EAGAIN:  # it has ended, or may not be changed: it works all the same
                return
            sleep(_PAUSE_S)
        else:
            return
