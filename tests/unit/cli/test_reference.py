"""The reference pages are made from the code; whoever changes a tool, command or setting makes them again."""

import importlib.util
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "scripts" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["settings.md", "tools.md", "cli.md", "schema.sql", "evidence.schema.json"])
def test_the_committed_page_is_what_the_code_says(page: str) -> None:
    """Out of date? Run `.venv/bin/python scripts/make_reference.py`."""
    committed = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")

    assert committed == maker().PAGES[page]()


def test_every_page_is_there() -> None:
    """Five files are made, and five are checked."""
    assert sorted(maker().PAGES) == ["cli.md", "evidence.schema.json", "schema.sql", "settings.md", "tools.md"]


def test_the_package_carries_the_published_schema() -> None:
    """The one of the wheel is the one of the documentation, to the byte."""
    packaged = files("lyra.report.export").joinpath("evidence.schema.json").read_text("utf-8")

    assert packaged == (ROOT / "docs" / "reference" / "evidence.schema.json").read_text("utf-8")


def test_every_command_has_help_and_every_option_a_meaning() -> None:
    """A command without a sentence, or an option without a meaning, is not finished."""
    page = maker().cli_page()

    assert [line for line in page.splitlines() if line.startswith("- `") and line.endswith("`:")] == []
    assert "\n\n\n" not in page


def test_no_trigger_derives_anything_from_the_evidence() -> None:
    """Eight keep full text, four delete what belongs to a row, one guards words, one counts removed vectors."""
    page = (ROOT / "docs" / "reference" / "schema.sql").read_text("utf-8")

    assert sorted(re.findall(r"^create trigger (\w+)", page, re.MULTILINE | re.IGNORECASE)) == [
        *("claims_fts_delete", "claims_fts_insert", "claims_leave", "embeddings_count_removals", "entity_facts_leave"),
        *("fragments_fts_delete", "fragments_fts_insert", "fragments_fts_update", "fragments_keep_words"),
        *("fragments_leave", "library_fts_delete", "library_fts_insert", "library_fts_update", "pages_leave"),
    ]
