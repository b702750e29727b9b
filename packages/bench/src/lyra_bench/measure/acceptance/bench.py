"""What criteria share: the seed, how thorough to be, and runs that several of them read, each made once."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lyra import settings as settings_module
from lyra.settings import Settings
from lyra_bench.measure.evidence import UNHURT, no_file, topic_names
from simweb import SimWeb

QUICK_TOPIC = "sleepband"
_QUICK_QUERIES = 1
_QUERIES = 3
TOPIC_MINUTES = 12.0


@dataclass
class Bench:
    """One measurement of some or all criteria.

    A topic is researched for `topic_minutes` at most; what came of each is written to `kept`, if given, and read there.
    """

    folder: Path
    seed: int = 1
    is_quick: bool = False
    topic_minutes: float = TOPIC_MINUTES
    kept: Path | None = None
    tell: Callable[[str], None] = lambda _: None
    _runs: dict[str, Any] = field(default_factory=dict)

    @property
    def topics(self) -> list[str]:
        """The topics that are researched."""
        return [QUICK_TOPIC] if self.is_quick else topic_names(None)

    @property
    def queries(self) -> int:
        """Queries of each kind that are asked of a topic."""
        return _QUICK_QUERIES if self.is_quick else _QUERIES

    async def once(self, name: str, make: "Callable[[Bench], Awaitable[Any]]") -> Any:
        """The run of this name, made when it is first asked for."""
        if name not in self._runs:
            self._runs[name] = await make(self)
        return self._runs[name]

    def data_dir(self, name: str) -> Path:
        """A directory of its own for one part."""
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def settings(self, web: SimWeb, name: str, more: Mapping[str, Any] | None = None) -> Settings:
        """Settings for a Lyra on the simulated web; the user's own have no part in them."""
        data_dir = self.data_dir(name)
        flags = {
            **UNHURT,
            "data_dir": data_dir,
            "network.proxy": web.proxy_url,
            "network.ca_bundle": web.ca_path,
            **(more or {}),
        }
        return settings_module.load(flags, environ={}, path=no_file(data_dir))


async def with_bench(work: Callable[[Bench], Awaitable[Any]], **options: Any) -> Any:
    """Do the work with a bench whose data goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="lyra-acceptance-") as folder:
        return await work(Bench(Path(folder), **options))


async def in_thread(fn: Callable[..., Any], *args: Any) -> Any:
    """Work that blocks, off the loop."""
    return await asyncio.to_thread(fn, *args)
