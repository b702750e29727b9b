"""A page behind a signed address: it is read, and its signature leaves in nothing that Lyra says, writes or exports."""

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.loopback import ON_LOOPBACK, pages_on_loopback
from tests.e2e.test_durability import ask

SECRET = "6f1b0c9d3e5a47f28b64c0d1e2f3a4b5968778695a4b3c2d1e0f9a8b7c6d5e4f"
FINDING = (
    "Saxagliptin increased the risk of hospitalisation for heart failure by 27 percent in a trial of 16,492 patients."
)


@pytest.fixture(scope="module")
def signed() -> Iterator[str]:
    page = f"<html lang='en'><title>Trial</title><article><h1>Trial</h1><p>{FINDING}</p></article></html>"
    with pages_on_loopback({"/trial": page}) as site:
        yield f"{site}/trial?X-Amz-Expires=600&X-Amz-Signature={SECRET}"


def written(directory: Path) -> bytes:
    """All that lies there but the database, unpacked."""
    files = [one for one in directory.rglob("*") if one.is_file() and not one.name.startswith("lyra.db")]
    return b"".join(
        gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw for raw in (one.read_bytes() for one in files)
    )


def unpacked(path: Path) -> bytes:
    """All that a pack holds, its archived pages unpacked."""
    with zipfile.ZipFile(path) as pack:
        parts = [pack.read(name) for name in pack.namelist()]
    return b"".join(gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one for one in parts)


def test_a_signature_leaves_in_no_answer_export_or_file(
    connect: Any, lyra_here: Any, signed: str, tmp_path: Path
) -> None:
    """A client, the command line, reports and files have a keyed hash in its place; the database alone has it whole."""
    data_dir = tmp_path / "data"
    hypotheses = [{"text": "Saxagliptin increases the risk of hospitalisation for heart failure."}]
    with connect(data_dir, **ON_LOOPBACK) as face:
        task = face.call("create_task", query="Is it safe?", config={"hypotheses": hypotheses})["task_id"]
        found = face.search(task, signed)
        sqls = (
            "url",
            "upper(url) as x",
            "group_concat(url, ' ; ') as x",
            "'at' || url as x",
            "url as text_content",
            "replace(url, 'http:', '') as x",
            "hex(url) as x",
            "replace(replace(url, '=', '~'), '?', '!') as x",
        )
        answers = [
            found,
            face.call("get_status", task_id=task),
            *(face.call("query_graph", sql=f"select {sql} from pages") for sql in sqls),
            face.call("query_graph", sql="select * from pages"),
            face.call("vector_search", query="heart failure", target="fragments"),
        ]
        report = str(face.portal.call(face.client.read_resource, f"lyra://tasks/{task}/report"))
    said = [
        lyra_here(*words, data_dir=data_dir, **ON_LOOPBACK)
        for words in (
            ("query", "select url from pages"),
            ("query", "select url from pages", "--json"),
            ("task", "show", task),
            ("ask", "--task", task),
            ("ask", "--task", task, "--json"),
            ("log", task),
            ("log", task, str(found["hypotheses"][0]["id"])),
            ("log", task, str(found["hypotheses"][0]["id"]), "--json"),
            ("timeline", task),
            ("timeline", task, "--json"),
            ("what-if", task, "--without", "127.0.0.1"),
            ("what-if", task, "--without", "127.0.0.1", "--json"),
            ("review", task, "--list", "--json"),
            ("domains", "--json"),
            *(("export", task, "--format", form) for form in ("json", "csv", "bibtex", "ris", "csl-json", "graphml")),
            ("report", task, "-o", "-"),
            ("pack", task, "-o", str(tmp_path / "one.lyrapack")),
        )
    ]

    whole = ask(data_dir, "select url from pages")
    assert whole == [(signed,)]
    assert SECRET not in str(answers).lower()
    assert SECRET.encode().hex() not in str(answers).lower()
    assert "redacted-" in str(answers)
    assert SECRET not in report
    assert [(at, one.code) for at, one in enumerate(said) if one.code or SECRET in one.out + one.err] == []
    assert SECRET.encode() not in written(data_dir) + unpacked(tmp_path / "one.lyrapack")
