"""The seccomp filter."""

import struct

import pytest

from lyra.ml.seccomp import assemble, filter_code

X86_64 = 0xC000003E
I386 = 0x40000003
REFUSED = (41, 42, 425)
ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
THREAD, OWN, OTHER = 0x003D0F00, 4321, 17


def verdict(code: bytes, number: int, architecture: int, first: int = 0) -> int:
    """Run the filter on one system call, as the kernel would."""
    data = struct.pack("=IIQQ", number, architecture, 0, first)
    lines = list(struct.iter_unpack("=HBBI", code))
    at, register = 0, 0
    while lines[at][0] != 0x06:
        operation, on_true, on_false, value = lines[at]
        tests = {0x15: register == value, 0x35: register >= value, 0x45: bool(register & value)}
        register = struct.unpack_from("=I", data, value)[0] if operation == 0x20 else register
        at += 1 + (on_true if tests.get(operation, False) else on_false)
    return int(lines[at][3])


@pytest.mark.parametrize(
    ("number", "architecture", "expected"),
    [
        pytest.param(41, X86_64, EPERM, id="socket"),
        pytest.param(42, X86_64, EPERM, id="connect"),
        pytest.param(425, X86_64, EPERM, id="io_uring_setup"),
        pytest.param(0, X86_64, ALLOW, id="read"),
        pytest.param(47, X86_64, ALLOW, id="recvmsg on the inherited connection"),
        pytest.param(0x40000000 + 41, X86_64, EPERM, id="socket by the x32 table"),
        pytest.param(102, I386, KILL, id="socketcall by the 32-bit table"),
    ],
)
def test_filter_decides_each_call(number: int, architecture: int, expected: int) -> None:
    """New sockets are refused by every door; what inference needs passes."""
    code = assemble(X86_64, REFUSED)

    decision = verdict(code, number, architecture)

    assert decision == expected


@pytest.mark.parametrize(
    ("machine", "architecture", "clone", "tgkill", "prlimit64", "execve"),
    [("x86_64", X86_64, 56, 234, 302, 59), ("aarch64", 0xC00000B7, 220, 131, 261, 221)],
    ids=["x86_64", "aarch64"],
)
def test_arguments_decide_where_the_number_does_not(
    machine: str, architecture: int, clone: int, tgkill: int, prlimit64: int, execve: int
) -> None:
    """Threads are made and processes are not; signals and limits are for the process itself alone."""
    code = filter_code(machine, OWN)
    asked = [(clone, THREAD), (clone, 17), (435, 0), (tgkill, OWN), (tgkill, OTHER)]
    asked += [(prlimit64, 0), (prlimit64, OWN), (prlimit64, OTHER), (execve, 0)]

    decisions = [verdict(code, number, architecture, first) for number, first in asked]

    assert decisions == [ALLOW, EPERM, ENOSYS, ALLOW, EPERM, ALLOW, ALLOW, EPERM, EPERM]


def test_a_machine_without_a_known_table_is_an_error() -> None:
    """No filter is better than one for other numbers."""
    with pytest.raises(OSError, match="no seccomp filter is known for riscv64"):
        filter_code("riscv64", OWN)
