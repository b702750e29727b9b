"""What runs Lyra for a team: an image of what the lock names, without keys or data of whoever builds it."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
IGNORED = [
    "*",
    "!LICENSE",
    "!README.md",
    "!packages/reader-large",
    "!pyproject.toml",
    "!requirements.lock",
    "!src",
    "**/*.key",
    "**/*.p12",
    "**/*.pem",
    "**/*.pfx",
    "**/*.crt",
    "**/.git",
    "**/.venv",
    "**/__pycache__",
]


def lines(name: str) -> list[str]:
    text = (ROOT / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("name", [".containerignore", ".dockerignore"])
def test_the_image_is_built_from_what_it_installs_and_nothing_else(name: str) -> None:
    """A key beside compose.yaml, a data directory or a checkout's own history would stay in a layer."""
    assert lines(name) == IGNORED


def test_the_image_installs_what_the_lock_names() -> None:
    """By hash, and Lyra itself without asking for anything more, as set-up does."""
    text = (ROOT / "deploy" / "Containerfile").read_text("utf-8").replace("\\\n", "")

    installs = [" ".join(part.split()) for part in text.split("&&") if "pip install" in part]

    assert installs == [
        "/opt/lyra/bin/pip install --no-cache-dir --use-pep517 --require-hashes --requirement /src/requirements.lock",
        "/opt/lyra/bin/pip install --no-cache-dir --no-deps --no-build-isolation /src/packages/reader-large /src",
    ]


@pytest.mark.parametrize("secret", ["cert.pem", "key.pem"])
def test_the_key_that_compose_asks_for_is_not_committed(secret: str) -> None:
    """Git ignores it where compose.yaml wants it."""
    wanted = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))["secrets"][secret]["file"]

    done = subprocess.run(["git", "check-ignore", "--no-index", f"deploy/{secret}"], cwd=ROOT, check=False)

    assert wanted == f"./{secret}"
    assert done.returncode == 0


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """It has no word to say against it, where the program that it starts is there."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    unit = (ROOT / "deploy" / "lyra.service").read_text("utf-8").replace("/opt/lyra/bin/lyra", "/bin/true")
    (tmp_path / "lyra.service").write_text(unit, encoding="utf-8")

    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / "lyra.service")], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
