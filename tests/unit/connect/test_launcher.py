"""The command a client is told to run."""

from pathlib import Path

from lyra.connect.launcher import launcher


def test_the_script_beside_python_is_named_in_full(tmp_path: Path) -> None:
    """Clients do not have the user's PATH: only an absolute command starts."""
    (tmp_path / "lyra").touch()

    found = launcher(("--data-dir", "/safe"), executable=str(tmp_path / "python"), prefix="/opt/venv", suffix="")

    assert found == (str(tmp_path / "lyra"), ("--data-dir", "/safe", "serve"))


def test_without_a_script_python_runs_the_package(tmp_path: Path) -> None:
    """A source checkout without installed scripts works as well."""
    found = launcher(executable=str(tmp_path / "python"), prefix="/opt/venv", suffix="")

    assert found == (str(tmp_path / "python"), ("-m", "lyra", "serve"))


def test_a_cached_environment_is_not_pointed_at(tmp_path: Path) -> None:
    """What `uvx` unpacked into its cache may be gone tomorrow, so the client is told to ask `uvx` again."""
    (tmp_path / "lyra").touch()
    cached = "/home/mika/.cache/uv/archive-v0/Xy12"

    found = launcher(executable=str(tmp_path / "python"), prefix=cached, suffix="")

    assert found == ("uvx", ("lyra-mcp", "serve"))
