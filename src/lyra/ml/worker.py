"""The inference process: cuts its network, then answers the server's requests until the connection ends.

Run as `python -m lyra.ml.worker CONNECTION_FD PARENT_PID`. Nothing imported at the top may start a thread; numpy,
ONNX Runtime and the tokenizer are imported when the first request comes, long after the network is gone.
"""

import os
import socket
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ModelError
from lyra.ml.card import ModelCard, ModelKind, load_card
from lyra.ml.frames import ConnectionEnded, receive, send
from lyra.ml.isolation import can_connect, close_inherited, die_with_parent, isolate, limit_memory

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from lyra.ml.decoder_reader import DecoderReader
    from lyra.ml.onnx import OnnxEmbedder, OnnxReader


class ModelHost:
    """The models of this process, each loaded at its first request and proven to be the one the server means."""

    def __init__(self, threads: int, device: str = "cpu") -> None:
        self._device = device
        self._threads = threads or len(os.sched_getaffinity(0))
        self._embedder: OnnxEmbedder | None = None
        self._readers: dict[str, OnnxReader] = {}
        self._tokenizers: dict[str, Tokenizer] = {}
        self._strong: DecoderReader | None = None

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        started = time.perf_counter()
        if request["op"] == "reach":
            return {"reached": can_connect(request["port"])}, b""
        model: OnnxEmbedder | OnnxReader | DecoderReader
        if request["op"] == "embed":
            model = self._load_embedder(request)
            rows = model.embed(request["items"])
        elif request["op"] == "judge":
            model = self._load_strong(request)
            rows = model.answers(request["items"])
        else:
            model = self._load_reader(request)
            rows = model.answers(request["items"])
        return {"seconds": time.perf_counter() - started, "notes": model.notes}, rows.tobytes()

    def _load_embedder(self, request: dict[str, Any]) -> "OnnxEmbedder":
        if self._embedder is None:
            from lyra.ml.onnx import OnnxEmbedder

            card = _expected_card(request, "embedder")
            self._embedder = OnnxEmbedder(card, self._threads, self._tokenizers, device=self._device_of(card))
        return self._embedder

    def _load_reader(self, request: dict[str, Any]) -> "OnnxReader":
        place = request["directory"]
        if place not in self._readers:
            from lyra.ml.onnx import OnnxReader

            card = _expected_card(request, "reader")
            self._readers[place] = OnnxReader(card, self._threads, self._tokenizers, device=self._device_of(card))
        return self._readers[place]

    def _load_strong(self, request: dict[str, Any]) -> "DecoderReader":
        if self._strong is None:
            from lyra.ml.decoder_reader import DecoderReader
            from lyra.ml.prepared import load_prepared

            adapter, model = _expected_card(request, "adapter"), load_prepared(Path(request["model"]))
            self._strong = DecoderReader(adapter, model, self._threads)
        return self._strong

    def _device_of(self, card: ModelCard) -> str:
        """The bundled models are whole numbers for a processor; a graphics card gains nothing on them."""
        return self._device if card.is_pulled else "cpu"


def _expected_card(request: dict[str, Any], kind: ModelKind) -> ModelCard:
    """The card, if it still names the weights that the server announced to its callers."""
    card = load_card(Path(request["directory"]), kind)
    if card.digest != request["digest"]:
        raise ModelError(
            f"The {card.directory.name} weights in {card.directory} changed while the server was running.",
            remedy="Restart the server to use the new weights.",
        )
    return card


def serve(connection: socket.socket, host: ModelHost) -> None:
    """Answer one request after another; a model that fails is an answer, the end of the connection is the end."""
    while True:
        try:
            request, _ = receive(connection)
            try:
                header, payload = host.answer(request)
            except ModelError as exc:
                header, payload = {"error": exc.message, "remedy": exc.remedy, "details": exc.details}, b""
            send(connection, header, payload)
        except ConnectionEnded:
            return


def start_isolated(arguments: list[str]) -> tuple[socket.socket, dict[str, Any]]:
    """The connection to the server and its settings, once the network is cut and the limits hold."""
    descriptor, parent = int(arguments[0]), int(arguments[1])
    close_inherited(descriptor)
    connection = socket.socket(fileno=descriptor)
    config, _ = receive(connection)
    limit_memory(config["memory_limit_mb"], is_mapping_free=bool(config["devices"]))
    isolation = isolate(config["port"], tuple(config["layers"]), config["readable"], config["devices"])
    isolation.guards["memory"] = f"{config['memory_limit_mb']} MiB by {config['memory_kept_by']}"
    die_with_parent(parent)
    send(connection, asdict(isolation))
    return connection, config


def main(arguments: list[str]) -> None:
    connection, config = start_isolated(arguments)
    serve(connection, ModelHost(config["threads"], config["device"]))


if __name__ == "__main__":
    main(sys.argv[1:])
