"""The figures of mirrors: what was made, what was read, and what was read again."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lyra.search.mirrors import MirrorMaker
from lyra_bench.measure.mirrors import SETS, measure_mirrors

QUERIES = {"ja": "心不全 リスク\n気候変動 政策\n鼠算\n", "en": "climate change policy\n"}
LABELS = (
    {"query": "心不全 リスク", "mirror": "heart failure risk", "faithful": True, "read_again": False},
    {"query": "気候変動 政策", "mirror": "climate change policy", "faithful": True, "read_again": True},
)


class Alike:
    """An embedder that finds any two texts alike."""

    model_id, dimension = "alike", 2

    async def embed(self, texts: Sequence[str]) -> Any:
        return np.full((len(texts), 2), 0.7, dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in SETS:
        for language, text in QUERIES.items():
            (tmp_path / f"{name}.{language}.txt").write_text(text, "utf-8")
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, LABELS)), "utf-8")
    return tmp_path


async def test_both_readings_of_a_mirror_are_counted(folder: Path) -> None:
    """One of three queries has no mirror; the second reading doubts one of the two others."""
    figures = await measure_mirrors(MirrorMaker(Alike(), None), folder)

    found = figures["sets"]["fourth.ja"]
    assert (found["mirrored"], found["faithful"], found["not_labelled"]) == (2, 2, 0)
    assert (found["faithful_share"], found["read_again_share"]) == (1.0, 0.5)


async def test_a_mirror_that_nobody_read_is_not_labelled(folder: Path) -> None:
    """It counts neither as faithful nor as wrong."""
    figures = await measure_mirrors(MirrorMaker(Alike(), None), folder)

    found = figures["sets"]["fourth.en"]
    assert (found["mirrored"], found["not_labelled"], found["read_again_share"]) == (1, 1, None)
    assert figures["is_passed"] is False
