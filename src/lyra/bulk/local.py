"""Workers as plain processes of this machine; one that dies is started again, and its piece read by another."""

import multiprocessing
import queue
import signal
import tempfile
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lyra.bulk.parts import Problem, shown
from lyra.bulk.plan import Plan
from lyra.bulk.reading import place_fields
from lyra.bulk.worker import Piece, PieceReport, Worker
from lyra.errors import LyraError, ModelError
from lyra.observe import log
from lyra.settings import Settings

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Tell = Callable[[PieceReport], None]
_TRIES = 3
_LOOK_S = 0.1
_END_S = 10.0


class LocalReading:
    """Reads pieces by several processes at once; `stop` ends them in the middle of their work."""

    def __init__(self, plan: Plan, settings: Settings, out: str, workers: int, stop: threading.Event) -> None:
        self._arguments = (plan, settings, out)
        self._workers = workers
        self._stop = stop

    def read(self, pieces: Sequence[Piece], tell: Tell) -> None:
        """Read all pieces; `tell` hears of each as it is done. Raises ModelError where the models are missing."""
        with TemporaryDirectory(prefix="lyra-bulk-") as scratch:
            self._read_in(scratch, pieces, tell)

    def _read_in(self, scratch: str, pieces: Sequence[Piece], tell: Tell) -> None:
        waiting: queue.SimpleQueue[Piece] = queue.SimpleQueue()
        for piece in pieces:
            waiting.put(piece)
        crew = [WorkerProcess(*self._arguments, scratch) for _ in range(min(self._workers, len(pieces)))]
        errors: list[LyraError] = []
        threads = [threading.Thread(target=_work, args=(one, waiting, tell, errors), daemon=True) for one in crew]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) and not self._stop.wait(_LOOK_S):
            pass
        for one in crew:
            one.close()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]


class WorkerProcess:
    """A worker in a process of its own, started when it is first needed; it keeps what passes below `scratch`."""

    def __init__(self, plan: Plan, settings: Settings, out: str, scratch: str | None = None) -> None:
        self._arguments = (plan, settings, out, scratch)
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self.is_closed = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Raises ModelError where the worker has not the plan's models."""
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(theirs, *self._arguments), daemon=True
        )
        process.start()
        theirs.close()
        self._process, self._connection = process, ours
        if self.is_closed:  # meanwhile
            self._end()
        found = ours.recv()
        if isinstance(found, LyraError):
            raise found

    def read(self, piece: Piece) -> PieceReport:
        """What became of a piece; tried anew where the process dies."""
        for _ in range(_TRIES):
            try:
                if self._connection is None:
                    self.start()
                return self._asked(piece)
            except (EOFError, OSError):
                if self.is_closed:
                    break
                self._end()
        lost = [
            Problem(shown(place_fields(one)), reason=f"The process that read it ended {_TRIES} times.") for one in piece
        ]
        return PieceReport(not_read=tuple(lost), left=piece)

    def close(self) -> None:
        """End the process, whatever it does; who waits for its answer hears that it has ended."""
        self.is_closed = True
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()  # what it was doing is done again; its own processes end with it
            self._process.join(_END_S)
        self._process = self._connection = None

    def _asked(self, piece: Piece) -> PieceReport:
        connection = self._connection
        if connection is None:
            raise EOFError
        connection.send(piece)
        found: PieceReport = connection.recv()
        return found


def _work(worker: WorkerProcess, waiting: "queue.SimpleQueue[Piece]", tell: Tell, errors: list[LyraError]) -> None:
    while not worker.is_closed:
        try:
            tell(worker.read(waiting.get_nowait()))
        except queue.Empty:
            return
        except LyraError as exc:
            errors.append(exc)
            return


def _serve(connection: Connection, plan: Plan, settings: Settings, out: str, scratch: str | None) -> None:
    """The process: says that it is ready, then answers each piece with its report until the other end hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started it decides when it ends
    tempfile.tempdir = scratch
    log.configure("error", None)  # what is noteworthy on a page is noted when it is imported
    try:
        worker = Worker(plan, settings, out)
    except ModelError as exc:
        connection.send(exc)
        return
    try:
        connection.send(True)
        while True:
            connection.send(worker.read(connection.recv()))
    except (EOFError, BrokenPipeError):
        return
    finally:
        worker.close()
