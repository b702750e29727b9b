"""Notes for Obsidian: names that every system takes, properties as PyYAML and text as markdown-it reads them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lyra.report.export.names import ExportFormat
from lyra.report.export.obsidian import notes
from lyra.report.export.records import records
from tests.export_data import HASH, WORDS, Exports, many_records
from tests.report_data import TASK, claim

WIKI_LINK = re.compile(r"\[\[([^\]|]+)(?:\|[^\]]*)?\]\]")


def paths(exports: Exports) -> list[Path]:
    return sorted(exports.path(ExportFormat.OBSIDIAN).rglob("*.md"))


def read(path: Path) -> tuple[dict[str, Any], str]:
    """The properties and the text."""
    _, head, body = path.read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(head), body


def note(exports: Exports, record_id: str) -> tuple[dict[str, Any], str]:
    (path,) = [one for one in paths(exports) if one.stem.endswith(f" {record_id}") or one.stem == record_id]
    return read(path)


def texts(body: str, within: str) -> list[str]:
    """What is shown within the elements of a kind, as a person reads it."""
    found: list[str] = []
    depth = 0
    for token in MarkdownIt().parse(body):
        depth += token.nesting if token.type.startswith(within) else 0
        if depth and token.type == "inline":
            found.append("".join(shown(one) for one in token.children or ()))
    return found


def shown(token: Token) -> str:
    return " " if token.type == "softbreak" else token.content


def test_every_record_has_a_note(hostile: Exports) -> None:
    """In a folder for each kind; properties have the records' own texts."""
    found = [(path.parent.name, *(read(path)[0][name] for name in ("id", "kind"))) for path in paths(hostile)]

    assert sorted(found) == sorted(
        [
            ("claims", "c_2", "claim"),
            ("claims", "c_3", "claim"),
            ("hypotheses", "c_1", "hypothesis"),
            ("obsidian", hostile.records.task.id, "task"),
            ("pages", "p_1", "page"),
            ("pages", "p_2", "page"),
            ("pages", "p_3", "page"),
        ]
    )
    assert note(hostile, "c_1")[0]["claim"] == hostile.records.claims[0].claim.claim_text
    assert [note(hostile, page)[0]["title"] for page in ("p_1", "p_2", "p_3")] == [
        one.title for one in hostile.records.sources
    ]


def test_names_are_safe_and_unique(hostile: Exports) -> None:
    """On Windows and macOS too: no reserved sign or name, none too long, none that differs in case alone."""
    names = [part for path in notes(hostile.records) for part in path.split("/")]
    files = [path.lower() for path in notes(hostile.records)]

    assert [name for name in names if re.search(r'[<>:"\\|?*#^\[\]\x00-\x1f]|^[. ]|[. ]$', name)] == []
    assert [name for name in names if re.match(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", name, re.IGNORECASE)] == []
    assert max(len(name.encode()) for name in names) < 143  # that of encrypted file systems
    assert len(files) == len(set(files))


def test_every_link_leads_to_a_note(hostile: Exports) -> None:
    """To each of them; text of others makes no link."""
    read_notes = [read(path) for path in paths(hostile)]
    linked = {name for _, body in read_notes for name in WIKI_LINK.findall(body.replace("\\[", ""))}
    tasks = {properties["task"] for properties, _ in read_notes if "task" in properties}

    (task,) = [path.stem for path in paths(hostile) if path.parent.name == "obsidian"]
    assert (linked | {task}, tasks) == ({path.stem for path in paths(hostile)}, {f"[[{task}]]"})


def test_a_quote_is_shown_as_it_is(hostile: Exports) -> None:
    """No mark of Markdown, Obsidian or HTML in it does anything."""
    body = note(hostile, "c_1")[1]

    said = [" ".join(quoted.quote.split()) for quoted in hostile.records.claims[0].quotes]
    assert texts(body, "blockquote") == said
    assert [one for one in MarkdownIt().parse(body) if one.type in ("html_block", "code_block", "hr")] == []


def test_a_quote_has_its_fields(hostile: Exports) -> None:
    """As Dataview reads them: stance, place, hashes, vote and review."""
    body = note(hostile, "c_1")[1]
    fields = [
        dict(line[2:].split(":: ", 1) for line in part.splitlines() if ":: " in line) for part in body.split("\n> ")[1:]
    ]

    names = ("stance", "char_start", "char_end", "text_hash", "content_hash", "votes", "is_retracted")
    assert [fields[0][name] for name in names] == ["supports", "120", "146", HASH, HASH[::-1], "true", "false"]
    assert [fields[2][name] for name in names] == ["refutes", "0", "10", HASH, HASH[::-1], "false", "true"]
    assert [one.get("reviewed_at") for one in fields] == [None, "2026-03-02T09:00:00.000Z", None]
    assert [one.get("no_vote") for one in fields] == [None, None, "retracted"]
    assert WORDS in texts(body, "blockquote")


@pytest.mark.parametrize("count", [0, 3_000])
def test_no_claim_and_3000_claims(count: int) -> None:
    """A note for the task at least."""
    assert len(notes(many_records(count))) == 1 + 2 * count


@pytest.mark.parametrize("text", ["1. one", "- two", "+ three", "12) four", "# five", "> six", "--- seven"])
def test_no_text_begins_a_list_a_heading_or_a_quotation(text: str) -> None:
    """The words of a claim are one paragraph, as they are."""
    (found,) = [body for name, body in notes(records(TASK, (claim(text),), ())).items() if name.startswith("claims/")]

    assert texts(found.decode().split("---\n", 2)[2], "heading") == [text]
