"""`lyra …` within this process: arguments in, exit code and exactly what was written out."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from lyra.cli.main import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """One JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


Lyra = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def lyra(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Lyra]:
    """Runs a command over `home`; no settings but those of the call are in force."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LYRA_DATA_DIR", str(home))
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def run(*words: str, **environ: str) -> Done:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["lyra", *words])
            for name, value in environ.items():
                patch.setenv(name, value)
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        out, err = capsys.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    yield run
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
