"""Weights in four bits, a scale and a zero point for every 32 of a row: the form in which ONNX Runtime multiplies them.

The adapter of the strong reader was trained over exactly these numbers, so training quantises with this module, too.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 32
_LEVELS = 15
# A narrower range rounds the many small weights finer and clips the few large ones; of these the best is taken.
_SHRUNK = (1.0, 0.92, 0.84)


@dataclass(frozen=True, slots=True)
class FourBit:
    """Of a matrix of n rows: `values` [n, blocks, 16], the first of two weights in the low half of a byte; `scales`
    [n, blocks], which half precision holds exactly; `zeros` [n, blocks / 2, rounded up], packed like the values."""

    values: "NDArray[np.uint8]"
    scales: "NDArray[np.float16]"
    zeros: "NDArray[np.uint8]"

    def floats(self) -> "NDArray[np.float32]":
        """What the numbers stand for."""
        import numpy as np

        rows, blocks, _ = self.values.shape
        levels = _unpacked(self.values).reshape(rows, blocks, BLOCK).astype(np.float32)
        zeros = _unpacked(self.zeros)[:, :blocks, None].astype(np.float32)
        return ((levels - zeros) * self.scales[..., None].astype(np.float32)).reshape(rows, blocks * BLOCK)


def quantise(weights: "NDArray[np.float32]") -> FourBit:
    """The nearest four-bit form; a row's length is a multiple of 32."""
    import numpy as np

    blocks = weights.reshape(weights.shape[0], -1, BLOCK)
    low, high = np.minimum(blocks.min(2), 0), np.maximum(blocks.max(2), 0)
    best: tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.float16], NDArray[np.uint8]] | None = None
    for share in _SHRUNK:
        scales = ((high - low) * np.float32(share / _LEVELS)).astype(np.float16)
        divisor = np.where(scales > 0, scales, 1).astype(np.float32)
        zeros = np.clip(np.rint(-low * np.float32(share) / divisor), 0, _LEVELS).astype(np.uint8)
        levels = np.clip(np.rint(blocks / divisor[..., None]) + zeros[..., None], 0, _LEVELS).astype(np.uint8)
        missed = (levels.astype(np.float32) - zeros[..., None]) * scales[..., None].astype(np.float32) - blocks
        error = np.square(missed).sum(2)
        if best is None:
            best = error, levels, scales, zeros
            continue
        is_better = error < best[0]
        best = (
            np.where(is_better, error, best[0]),
            np.where(is_better[..., None], levels, best[1]),
            np.where(is_better, scales, best[2]),
            np.where(is_better, zeros, best[3]),
        )
    assert best is not None
    return FourBit(_packed(best[1]), best[2], _packed(best[3]))


def _packed(levels: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    import numpy as np

    if levels.shape[-1] % 2:
        levels = np.concatenate([levels, np.zeros((*levels.shape[:-1], 1), np.uint8)], -1)
    return np.ascontiguousarray(levels[..., ::2] | levels[..., 1::2] << 4)


def _unpacked(packed: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    import numpy as np

    return np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)
