"""Writes ONNX graphs byte by byte: a graph is a protocol buffer, and these few fields of it need no library."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FLOAT, UINT8, INT64 = 1, 2, 7
CONTRIB = "com.microsoft"
_IR_VERSION, _OPSET, _CONTRIB_OPSET = 9, 17, 1
_EXTERNAL = 1
# Kinds of attributes, as the format numbers them, and where each keeps its value.
_A_FLOAT, _AN_INT, _INTS = 1, 2, 7
Axis = str | int
Attribute = int | float | Sequence[int]


@dataclass
class GraphWriter:
    """Collects nodes and constants, and names their outputs."""

    _nodes: list[bytes] = field(default_factory=list)
    _constants: list[bytes] = field(default_factory=list)

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Attribute) -> str:
        """The name of the node's one output."""
        return self.nodes(operator, inputs, 1, domain, **attributes)[0]

    def nodes(
        self, operator: str, inputs: Sequence[str], outputs: int, domain: str = "", **attributes: Attribute
    ) -> list[str]:
        """The names of all outputs of one node."""
        names = [f"n{len(self._nodes)}.{place}" for place in range(outputs)]
        content = _texts(1, inputs) + _texts(2, names) + _field(4, operator)
        content += b"".join(_field(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(content + (_field(7, domain) if domain else b""))
        return names

    def rename(self, name: str, to: str) -> None:
        """Give a value the name under which it leaves the graph."""
        self._nodes.append(_texts(1, [name]) + _texts(2, [to]) + _field(4, "Identity"))

    def floats(self, array: "NDArray[np.float32]") -> str:
        return self._constant(FLOAT, array.shape, array.astype("<f4").tobytes())

    def whole(self, *values: int) -> str:
        """A list of whole numbers, such as a shape."""
        return self._constant(INT64, (len(values),), struct.pack(f"<{len(values)}q", *values))

    def given(self, name: str, kind: int, shape: Sequence[int]) -> str:
        """A constant whose content the session is given apart from the graph."""
        place = _field(13, _field(1, "location") + _field(2, "given"))
        self._constants.append(_tensor(name, kind, shape) + place + _field(14, _EXTERNAL))
        return name

    def model(self, inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
        """The whole file; inputs and outputs are made by `value`."""
        graph = b"".join(_field(1, one) for one in self._nodes) + _field(2, "decoder")
        graph += b"".join(_field(5, one) for one in self._constants)
        graph += b"".join(_field(11, one) for one in inputs) + b"".join(_field(12, one) for one in outputs)
        operators = _field(8, _field(2, _OPSET)) + _field(8, _field(1, CONTRIB) + _field(2, _CONTRIB_OPSET))
        return _field(1, _IR_VERSION) + _field(7, graph) + operators

    def _constant(self, kind: int, shape: Sequence[int], raw: bytes) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(_tensor(name, kind, shape) + _field(9, raw))
        return name


def value(name: str, kind: int, axes: Sequence[Axis]) -> bytes:
    """The type of an input or output; an axis is a name or a size."""
    shape = b"".join(_field(1, _field(2, axis) if isinstance(axis, str) else _field(1, axis)) for axis in axes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _tensor(name: str, kind: int, shape: Sequence[int]) -> bytes:
    return b"".join(_field(1, size) for size in shape) + _field(2, kind) + _field(8, name)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _field(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _field(20, _A_FLOAT)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _AN_INT)
    return _field(1, name) + b"".join(_field(8, one) for one in value) + _field(20, _INTS)


def _texts(number: int, names: Sequence[str]) -> bytes:
    return b"".join(_field(number, name) for name in names)


def _field(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value % (1 << 64))
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
