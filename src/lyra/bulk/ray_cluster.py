"""The same workers on a Ray cluster: Ray Data hands out the pieces, starts workers anew and repeats what they lost.

Machines of the cluster have Lyra installed and see the collection and the output under the same addresses. Where the
models are is said by each machine's own settings.
"""

import importlib
import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from lyra import settings as settings_module
from lyra.bulk.files import EXTRA, StoredFile
from lyra.bulk.parts import Problem, shown
from lyra.bulk.plan import Plan, plan_from
from lyra.bulk.reading import check_models, place_fields
from lyra.bulk.sources import Place, is_warc
from lyra.bulk.worker import Piece, PieceReport, Worker, chunks, pieces_of, warc_places
from lyra.errors import InvalidParams, ModelError, NetworkUnavailable
from lyra.observe import log

_NODE_LABEL = "ray.io/node-id"
# Errors of single tasks are repeated and reported by us; of later versions of Ray nobody needs to hear now.
_QUIET = {"RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
_AT_ONCE = 2  # pieces that a worker has been given: one that it reads, one that waits
_MOST_BLOCKS = 10_000


@contextmanager
def connected(address: str | None, workers: int) -> Iterator[None]:
    """A connection to the cluster, or a Ray of this machine while it lasts."""
    if find_spec("ray") is None:
        raise InvalidParams("The engine ray needs Ray, which is not installed.", remedy=f"{EXTRA}.")
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    ray = _ray()
    own: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, RuntimeError, ValueError) as exc:
        raise NetworkUnavailable(
            f"The Ray cluster {address or 'of this machine'} cannot be reached: {str(exc).splitlines()[0][:200]}",
            remedy="Start one with ray start --head, or leave out --address for one of this machine.",
        ) from exc
    try:
        with redirect_stdout(sys.stderr):  # Ray tells of workers that died; what programs read is ours alone
            yield
    finally:
        ray.shutdown()


def list_pieces(files: Sequence[StoredFile], done: frozenset[str]) -> tuple[list[Piece], list[Problem]]:
    """What is to be read; each WARC file is listed by some machine of the cluster."""
    pieces, problems = pieces_of([one for one in files if not is_warc(one.address)], done)
    crawls = [{"file": json.dumps(asdict(one))} for one in files if is_warc(one.address)]
    if crawls:
        rows = _data().from_items(crawls, override_num_blocks=min(len(crawls), _MOST_BLOCKS)).map(_listed).take_all()
        for row in sorted(rows, key=lambda one: str(one["file"])):
            pieces += chunks(_places(row["places"]))
            problems += [Problem(**json.loads(row["problem"]))] if row["problem"] else []
    return pieces, problems


class RayReading:
    """Reads pieces on the machines of a cluster that have the plan's models."""

    def __init__(self, plan: Plan, out: str, workers: int, stop: threading.Event) -> None:
        self._stop = stop
        self._fields = plan.fields()
        self._out = out
        self._workers = workers
        self._unfit: dict[str, str] = {}

    def nodes_without_models(self) -> list[Problem]:
        """Machines that can take no part, and why. Raises ModelError where none can."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray = _ray()
        nodes = {str(one["NodeID"]): str(one["NodeManagerHostname"]) for one in ray.nodes() if one["Alive"]}
        probe = ray.remote(num_cpus=0, max_retries=1)(_probe)
        asked = {
            node: probe.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote(
                self._fields
            )
            for node in nodes
        }
        answers = {node: _answer(ray, one) for node, one in asked.items()}
        self._unfit = {node: why for node, why in answers.items() if why}
        if len(self._unfit) == len(nodes):
            raise ModelError(
                f"No machine of the cluster has the models: {next(iter(self._unfit.values()))}",
                remedy="Install the same lyra-mcp on every machine of the cluster.",
            )
        return [Problem(f"{nodes[node]} ({node[:8]})", why) for node, why in self._unfit.items()]

    def read(self, pieces: Sequence[Piece], tell: Callable[[PieceReport], None]) -> None:
        """Read all pieces; `tell` hears of each as it is done."""
        data = _data()
        rows = [{"piece": json.dumps([asdict(place) for place in piece])} for piece in pieces]
        work = data.from_items(rows, override_num_blocks=min(len(rows), _MOST_BLOCKS)).map_batches(
            RayWorker,
            fn_constructor_args=(self._fields, self._out),
            batch_size=1,
            compute=data.ActorPoolStrategy(
                size=self._worker_count(len(pieces)), max_tasks_in_flight_per_actor=_AT_ONCE
            ),
            num_cpus=1,
            **({"label_selector": {_NODE_LABEL: f"!in({','.join(self._unfit)})"}} if self._unfit else {}),
        )
        for row in work.iter_rows():
            if self._stop.is_set():
                return
            tell(_report(json.loads(row["report"])))

    def _worker_count(self, pieces: int) -> int:
        """As many workers as were asked for, as there are pieces, and as the fit machines have cores."""
        fit = [one for one in _ray().nodes() if one["Alive"] and one["NodeID"] not in self._unfit]
        cores = int(sum(one["Resources"].get("CPU", 0) for one in fit))
        return max(1, min(self._workers, pieces, cores))


class RayWorker:
    """A worker as Ray Data calls it. One that has no models hands its pieces back with the reason."""

    def __init__(self, fields: Mapping[str, Any], out: str) -> None:
        log.configure("error", None)  # what is noteworthy on a page is noted when it is imported
        self._problem = ""
        try:
            self._worker = Worker(plan_from(fields), settings_module.load({}), out)
        except ModelError as exc:
            self._problem = exc.message

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[str]]:
        pieces = [tuple(_places(one)) for one in batch["piece"]]
        return {"report": [json.dumps(asdict(self._read(piece))) for piece in pieces]}

    def _read(self, piece: Piece) -> PieceReport:
        if not self._problem:
            return self._worker.read(piece)
        lost = tuple(Problem(shown(place_fields(place)), self._problem) for place in piece)
        return PieceReport(not_read=lost, left=piece)


def _probe(fields: Mapping[str, Any]) -> str:
    """Why this machine cannot read, empty where it can."""
    try:
        check_models(plan_from(fields), settings_module.load({}))
    except ModelError as exc:
        return exc.message
    return ""


def _answer(ray: Any, pending: Any) -> str:
    try:
        return str(ray.get(pending))
    except ray.exceptions.RayError as exc:
        return f"Lyra cannot be started there: {str(exc).strip().splitlines()[-1][:200]}"


def _listed(row: Mapping[str, Any]) -> dict[str, str]:
    found, problem = warc_places(StoredFile(**json.loads(row["file"])))
    places = json.dumps([asdict(one) for one in found])
    return {"file": row["file"], "places": places, "problem": json.dumps(asdict(problem)) if problem else ""}


def _places(text: str) -> list[Place]:
    return [Place(**one) for one in json.loads(text)]


def _report(fields: dict[str, Any]) -> PieceReport:
    lists = {name: tuple(Problem(**one) for one in fields[name]) for name in ("failed", "not_read")}
    return PieceReport(**fields | lists | {"left": tuple(Place(**one) for one in fields["left"])})


def _ray() -> Any:
    return importlib.import_module("ray")


def _data() -> Any:
    """Ray Data, without progress bars of its own."""
    data: Any = importlib.import_module("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    return data
