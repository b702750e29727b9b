"""`lyra doctor`, part by part: what is, and what to do where it is not well."""

import importlib.util
from datetime import UTC, datetime
from pathlib import Path

import pytest
from apsw import Connection

from lyra.health import check_installation
from lyra.health.extras import check_extras
from lyra.health.finding import Finding
from lyra.ml.card import load_card, model_directory
from lyra.model.claim import Claim
from lyra.model.task import Budget, Task, TaskStatus
from lyra.settings import Settings
from lyra.storage import claims, embeddings, tasks
from lyra.storage.database import Database


@pytest.fixture(autouse=True)
def _no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """The inference process is examined in the tests that may start one."""

    async def fine(_: Settings) -> list[Finding]:
        return [Finding("models", True, "not asked here")]

    async def silent(_: str) -> bool:
        return False

    monkeypatch.setattr("lyra.health.check_models", fine)
    monkeypatch.setattr("lyra.fetch.tor.is_listening", silent)


async def finding(name: str, settings: Settings, config: Path | None = None) -> Finding:
    return next(one for one in await check_installation(settings, config) if one.name == name)


async def test_a_data_directory_yet_to_be_made_is_fine(tmp_path: Path) -> None:
    """Nothing is created by looking."""
    found = await finding("data", Settings(data_dir=tmp_path / "new" / "lyra"))

    assert found.is_fine is True
    assert found.detail.startswith(f"{tmp_path / 'new' / 'lyra'} (")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("below", ["", "deeper"])
async def test_a_data_directory_that_is_a_file_is_not(tmp_path: Path, below: str) -> None:
    """Neither the file itself nor anything below it can hold the data."""
    (tmp_path / "file").touch()

    found = await finding("data", Settings(data_dir=tmp_path / "file" / below))

    assert found == Finding(
        "data", False, f"{tmp_path / 'file'} is not a directory", "Choose another with --data-dir or LYRA_DATA_DIR."
    )


async def test_a_file_that_is_no_database_is_found(tmp_path: Path) -> None:
    """With the typed error's own words and remedy."""
    (tmp_path / "lyra.db").write_bytes(b"PK\x03\x04 something else entirely" * 100)

    found = await finding("database", Settings(data_dir=tmp_path))

    assert (found.is_fine, found.detail) == (False, "The file lyra.db is not a database of Lyra.")
    assert found.remedy is not None


async def test_texts_of_another_embedder_are_counted(tmp_path: Path) -> None:
    """No fault: they are embedded again by the server. Without any there is no line."""
    settings = Settings(data_dir=tmp_path)
    db = await Database.open(settings.database_path)
    await db.write(_embed_by, "older@1", "c_1", "c_2")
    await db.close()
    present = load_card(model_directory("embedder")).model_id

    waiting = [one for one in await check_installation(settings) if one.name == "vectors"]
    db = await Database.open(settings.database_path)
    await db.write(embeddings.put_many, "claim", [("c_1", [1.0]), ("c_2", [1.0])], present)
    await db.close()
    done = [one for one in await check_installation(settings) if one.name == "vectors"]

    assert waiting == [
        Finding(
            "vectors",
            True,
            f"texts embedded by another embedder: 2; {present} embeds them again while `lyra serve` or a search"
            " runs, and vector_search does not find them before",
        )
    ]
    assert done == []


def _embed_by(connection: Connection, model_id: str, *claim_ids: str) -> None:
    """Claims with vectors of a model."""
    now = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
    tasks.insert(connection, Task("task_00000000000a", "Is it so?", TaskStatus.EXPLORING, now, Budget()))
    known = [Claim(one, "task_00000000000a", f"Claim {one}.", "en", now) for one in claim_ids]
    claims.insert_many(connection, known)
    embeddings.put_many(connection, "claim", [(one, [1.0]) for one in claim_ids], model_id)


async def test_a_missing_certificate_file_is_found(tmp_path: Path) -> None:
    """Every request would fail with it."""
    settings = Settings.model_validate({"data_dir": tmp_path, "network": {"ca_bundle": tmp_path / "ca.pem"}})

    found = await finding("network", settings)

    assert (found.is_fine, found.remedy) == (False, "Correct network.ca_bundle.")


async def test_the_settings_file_in_force_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The flag's before the environment's before the platform's."""
    named, environment = tmp_path / "named.toml", tmp_path / "environment.toml"
    named.touch()
    environment.touch()
    monkeypatch.setenv("LYRA_CONFIG", str(environment))
    settings = Settings(data_dir=tmp_path)

    assert (await finding("settings", settings, named)).detail == str(named)
    assert (await finding("settings", settings)).detail == str(environment)


async def test_a_full_disk_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below half a gigabyte the next search may end in the middle."""
    monkeypatch.setattr("lyra.health.data.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10_000_000}))

    found = await finding("data", Settings(data_dir=tmp_path))

    assert (found.is_fine, found.remedy) == (False, "Free some disk space.")


@pytest.mark.parametrize(
    ("found", "details"),
    [
        pytest.param(True, ["installed"] * 4, id="installed"),
        pytest.param(
            None,
            [
                "not installed: pages that need a browser stay unread (pip install 'lyra-mcp[browser]')",
                "not installed: Japanese text is split into pairs of characters (pip install 'lyra-mcp[japanese]')",
                "not installed: few queries are asked in the other language (pip install 'lyra-mcp[dictionary]')",
                "not installed: scanned pages stay unread (pip install 'lyra-mcp[ocr]')",
            ],
            id="left out",
        ),
    ],
)
def test_extras_say_what_they_would_add(
    monkeypatch: pytest.MonkeyPatch, found: bool | None, details: list[str]
) -> None:
    """That one was left out is no fault."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    monkeypatch.setattr("lyra.text.has_dictionary", lambda: bool(found))

    extras = check_extras()

    assert [(one.name, one.is_fine) for one in extras] == [
        ("browser driver", True),
        ("japanese", True),
        ("dictionary", True),
        ("ocr", True),
    ]
    assert [one.detail for one in extras] == details


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"enabled": False}, Finding("browser", True, "off (browser.enabled): pages that need a browser stay unread")),
        (
            {"executable": "/nowhere/chrome"},
            Finding(
                "browser",
                False,
                "browser.executable: /nowhere/chrome cannot be run. Pages that need a browser stay unread.",
                "Name a Chrome or Chromium.",
            ),
        ),
        (
            {"debugging_port": 9222},
            Finding(
                "browser",
                False,
                "one of yours is driven at port 9222, as every local user can drive it",
                "Unset browser.debugging_port; Lyra then starts its own browser, which only you can reach.",
            ),
        ),
    ],
    ids=["off", "named wrongly", "with a port"],
)
async def test_the_browser_has_a_line(tmp_path: Path, fields: dict[str, object], expected: Finding) -> None:
    """One that was named and is not there is a fault, and so is one that everybody can drive; none at all is not."""
    found = await finding("browser", Settings.model_validate({"data_dir": tmp_path, "browser": fields}))

    assert found == expected


@pytest.mark.parametrize(
    ("fields", "is_fine", "detail"),
    [
        ({"mode": "off"}, True, "off (tor.mode): "),
        ({"mode": "auto", "executable": "no-such-tor"}, True, "not installed: "),
        ({"mode": "start", "executable": "no-such-tor"}, False, "not installed: "),
        ({"mode": "start", "executable": "true"}, True, "installed; started when it is needed"),
        ({"mode": "auto", "executable": "true"}, True, "installed, but none runs at 127.0.0.1:9: "),
    ],
    ids=["off", "missing", "missing and wanted", "started", "not running"],
)
async def test_tor_has_a_line(tmp_path: Path, fields: dict[str, object], is_fine: bool, detail: str) -> None:
    """Only where Tor was asked for is its absence a fault."""
    tor = {"socks_address": "127.0.0.1:9", **fields}

    found = await finding("tor", Settings.model_validate({"data_dir": tmp_path, "tor": tor}))

    assert found.is_fine is is_fine
    assert found.detail.removesuffix("pages whose servers refuse this machine's address stay unread") == detail


async def test_nothing_is_asked_of_the_network_unless_wanted(tmp_path: Path) -> None:
    """A check of the machine sends nothing."""
    found = await check_installation(Settings(data_dir=tmp_path))

    assert [one.name for one in found if one.name.startswith(("internet", "engine "))] == []
