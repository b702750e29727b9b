"""scripts/measure_models.py through the real models, on a handful of rows."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts" / "measure_models.py"


def test_one_command_writes_the_tables_into_the_page(tmp_path: Path) -> None:
    """Pairs and a collection go in, both tables come out between the markers, with the models' names."""
    pairs = tmp_path / "pairs.jsonl"
    row = {
        "premise": "男性がギターを弾いている。",
        "hypothesis": "男性が楽器を演奏している。",
        "label": "E",
        "source": "写真",
    }
    pairs.write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "Heart failure and gliptins."}\n', "utf-8")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "gliptins"}\n', "utf-8")
    (tmp_path / "qrels.tsv").write_text("q1\td1\t1\n", "utf-8")
    page = tmp_path / "models.md"
    page.write_text("# Models\n\n<!-- measured:begin -->\n<!-- measured:end -->\n", "utf-8")
    command = [sys.executable, str(SCRIPT), "--stance", str(pairs), "--beir", f"tiny={tmp_path}", "--write", str(page)]

    subprocess.run(command, check=True, capture_output=True, timeout=100)

    lines = page.read_text("utf-8").splitlines()
    assert (lines[2], lines[-1]) == ("<!-- measured:begin -->", "<!-- measured:end -->")
    assert [line for line in lines if line.startswith("| tiny")] == ["| tiny | 1.000 | 1.000 | 1.000 |"]
    assert [line[:10] for line in lines if line.startswith("| 写真")] == ["| 写真 | 1 |"]
