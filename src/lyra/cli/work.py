"""The process that runs a server's searches: `python -m lyra.cli.work`, started by `lyra serve --http`.

Reads the settings from the first line of standard input; each further line means that something was queued, its end
that the server has gone. Tells the state of its models on standard output.
"""

import asyncio
import contextlib
import os
import sys
from typing import TYPE_CHECKING

from lyra import scheduling
from lyra.cli.serve import stop_on_signals
from lyra.observe import log
from lyra.settings import Settings

if TYPE_CHECKING:
    from lyra.app import Lyra

_TELL_EVERY_S = 2.0


def main() -> None:
    """Run searches until the server goes."""
    os.umask(0o077)
    settings = Settings.model_validate_json(sys.stdin.buffer.readline())
    scheduling.lower_priority(settings.jobs.niceness)
    log.configure(settings.log.level, settings.log_dir)
    asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    from lyra.app import Lyra
    from lyra.observe import tracing

    stopping = stop_on_signals()
    async with (
        tracing.sending(settings.log.traces_endpoint),
        Lyra.open(settings, with_worker=True) as lyra,
        asyncio.TaskGroup() as group,
    ):
        reading = group.create_task(_read_input(lyra, stopping))
        telling = group.create_task(_tell_state(lyra))
        await stopping.wait()
        reading.cancel()
        telling.cancel()


async def _read_input(lyra: "Lyra", stopping: asyncio.Event) -> None:
    """Wake the worker at each line; stop at the end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for _ in reader:
        lyra.wake()
    stopping.set()


async def _tell_state(lyra: "Lyra") -> None:
    """Tell what has changed, until nobody listens."""
    told = None
    with contextlib.suppress(BrokenPipeError):
        while True:
            state = lyra.process_state()
            if state != told:
                sys.stdout.write(state.line())
                sys.stdout.flush()
                told = state
            await lyra.clock.sleep(_TELL_EVERY_S)


if __name__ == "__main__":
    main()
