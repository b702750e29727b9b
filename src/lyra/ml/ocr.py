"""Printed text from pictures of pages, by RapidOCR with the models inside its package. Only an isolated process may
import what this module imports when it is used."""

import math
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata, util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REMEDY = "pip install 'lyra-mcp[ocr]'"
# The detector sees the page at this size; lines are then read from the full picture.
_DETECTION_SIDE = 1_280
_LEAST_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of a picture, in pixels from its upper left corner; `height` is that of the letters, also where askew."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    height: float


def is_installed() -> bool:
    """Whether the extra is there; imports nothing."""
    return util.find_spec("rapidocr") is not None


def version() -> str:
    return f"rapidocr/{metadata.version('rapidocr')}"


class Ocr:
    """Loaded at the first picture."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    @cached_property
    def _engine(self) -> Any:
        from rapidocr import RapidOCR

        return RapidOCR(
            params={
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.text_score": _LEAST_SCORE,
                "Global.max_side_len": 4_000,
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTION_SIDE,
                "Rec.rec_batch_num": 1,
                "EngineConfig.onnxruntime.intra_op_num_threads": self._threads,
            }
        )

    def lines(self, picture: "NDArray[np.uint8]") -> list[OcrLine]:
        """The lines of a picture (height × width × 3), as found; an empty picture has none."""
        found = self._engine(picture)
        if found.boxes is None or found.txts is None:
            return []
        return [_line(box, text) for box, text in zip(found.boxes, found.txts, strict=True) if text.strip()]


def _line(box: Any, text: str) -> OcrLine:
    """The upright rectangle around four corners, which go round from the upper left."""
    across = [float(corner[0]) for corner in box]
    down = [float(corner[1]) for corner in box]
    height = math.hypot(across[3] - across[0], down[3] - down[0])
    return OcrLine(text, min(across), min(down), max(across), max(down), height)
