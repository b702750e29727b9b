"""Files that a user names: written where their folder is, and nowhere else."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    "words",
    [("report", "{task}", "-o"), ("export", "{task}", "-o"), ("archive", "index", "--output")],
    ids=["report", "export", "index"],
)
def test_no_folder_is_made_for_a_named_file(lyra: Any, tmp_path: Path, words: tuple[str, ...]) -> None:
    """A mistyped path is an error that says what to do, not a new folder, at the root or anywhere."""
    task = lyra("task", "new", "q", "--json").json["task_id"]
    wanted = tmp_path / "typo" / "deeper" / "file"

    done = lyra(*(word.format(task=task) for word in words), str(wanted))

    assert done.code == 2
    assert done.err.splitlines()[0] == f"lyra: {wanted} cannot be written: there is no folder {wanted.parent}."
    assert "Make the folder first" in done.err
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("option", ["--output", "--appendix"])
@pytest.mark.parametrize("name", ["", ".", "..", "/"])
def test_a_folder_is_no_file_for_a_report(lyra: Any, option: str, name: str) -> None:
    """Also where the name is empty, which is the folder itself: one sentence, and what to do."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra("report", task, option, name, "--json")

    assert (done.code, done.json["error"]) == (2, f"{Path(name)} cannot be written: Is a directory.")
    assert done.json["remedy"] == f"Choose another file with {option}."


@pytest.mark.parametrize("name", ["", ".", "/"])
@pytest.mark.parametrize(
    "words",
    [("pack", "{task}"), ("pack", "keygen"), ("export", "{task}")],
    ids=["pack", "keys", "export"],
)
def test_a_folder_is_no_file_for_a_pack_or_an_export(lyra: Any, words: tuple[str, ...], name: str) -> None:
    """The same sentence as for a report, whatever the folder is called."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra(*(word.format(task=task) for word in words), "-o", name, "--json")

    assert (done.code, done.json["error"]) == (2, f"{Path(name)} cannot be written: Is a directory.")
    assert done.json["remedy"] == "Choose another file with --output."


@pytest.mark.parametrize(("name", "ending"), [("x.docx", ".docx"), ("X.ZIP", ".zip")], ids=["docx", "zip"])
def test_an_unknown_ending_of_an_export_is_refused(
    lyra: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ending: str
) -> None:
    """No JSON is written under a name that says something else; the message lists what there is."""
    task = lyra("task", "new", "q", "--json").json["task_id"]
    monkeypatch.chdir(tmp_path)

    done = lyra("export", task, "-o", name, "--json")

    assert (done.code, done.json["error"], done.json["remedy"]) == (
        2,
        f"No format of an export ends in {ending}: a name ends in .csl.json, .json, .bib, .ris, .csv, .graphml, .md.",
        "Name the format with --format: json, bibtex, ris, csl-json, csv, graphml, ro-crate, obsidian, report.",
    )
    assert list(tmp_path.glob("[xX].*")) == []


@pytest.mark.parametrize("words", [("-o", "x.docx", "-f", "json"), ("-o", "x")], ids=["named format", "no ending"])
def test_an_export_whose_name_says_nothing_else_is_json(
    lyra: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """With --format the name is the user's own affair; a name without an ending asks for no other format."""
    task = lyra("task", "new", "q", "--json").json["task_id"]
    monkeypatch.chdir(tmp_path)

    done = lyra("export", task, *words)

    assert done.code == 0
    assert json.loads((tmp_path / words[1]).read_text("utf-8"))["task_id"] == task


@pytest.mark.parametrize(
    "words", [("-o", "report.doc"), ("-o", "a.pdf", "--appendix", "a.xyz")], ids=["report", "appendix"]
)
def test_an_unknown_ending_is_refused(
    lyra: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Nothing is written under a name that says another format."""
    task = lyra("task", "new", "q", "--json").json["task_id"]
    monkeypatch.chdir(tmp_path)

    done = lyra("report", task, *words, "--json")

    ending = Path(words[-1]).suffix
    assert (done.code, done.json["error"]) == (
        2,
        f"No report can be written as {ending}: a name ends in .md, .html, .docx, .pdf, .markdown, .txt, .htm.",
    )
    assert list(tmp_path.glob("*.*")) == []


def test_an_unknown_ending_is_written_in_the_format_that_is_named(lyra: Any, tmp_path: Path) -> None:
    """With --format the name is the user's own affair."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra("report", task, "-o", str(tmp_path / "r.xyz"), "-f", "html", "--json")

    assert done.code == 0
    assert (tmp_path / "r.xyz").read_text().startswith("<!doctype html>")


def test_an_appendix_of_another_format_is_refused(lyra: Any, tmp_path: Path) -> None:
    """Report and appendix are of one format."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra("report", task, "-o", str(tmp_path / "r.md"), "--appendix", str(tmp_path / "a.pdf"), "--json")

    assert (done.code, done.json["error"]) == (2, "The report is written as md, and its appendix in the same format.")


def test_a_report_goes_to_its_own_folder(lyra: Any, home: Path) -> None:
    """Without a name it lies below the data directory, whose folders are Lyra's to make."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra("report", task, "--json")

    assert (done.code, done.json["path"]) == (0, str(home / "reports" / f"{task}.md"))
    assert (home / "reports" / f"{task}.md").is_file()
