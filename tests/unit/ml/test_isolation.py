"""The seccomp filter."""

import struct

import pytest

from lyra.ml.isolation import assemble

X86_64 = 0xC000003E
I386 = 0x40000003
REFUSED = (41, 42, 425)
ALLOW, EPERM, KILL = 0x7FFF0000, 0x00050001, 0x80000000


def verdict(code: bytes, number: int, architecture: int) -> int:
    """Run the filter on one system call, as the kernel would."""
    data = struct.pack("=II", number, architecture)
    lines = list(struct.iter_unpack("=HBBI", code))
    at, register = 0, 0
    while lines[at][0] != 0x06:
        operation, on_true, on_false, value = lines[at]
        tests = {0x15: register == value, 0x35: register >= value}
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
