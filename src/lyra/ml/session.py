"""ONNX Runtime sessions: opened from verified files, on a graphics card where there is one, errors translated."""

import contextlib
from typing import Any

import onnxruntime

from lyra.errors import ModelError
from lyra.ml.card import ModelCard, verified_file

CPU, CUDA = "cpu", "cuda"
_CUDA_PROVIDER, _CPU_PROVIDER = "CUDAExecutionProvider", "CPUExecutionProvider"
_SUPPRESS_WARNINGS = 3
_MEMORY_WORDS = ("alloc", "out of memory", "BFCArena")


def open_session(card: ModelCard, device: str) -> tuple[Any, str, str]:
    """The session, the device it runs on, and why that is not the one asked for, if so.

    A graphics card that fails costs one attempt: the processor takes over at once.
    """
    if device == CPU:
        return _load(card, [_CPU_PROVIDER]), CPU, ""
    if _CUDA_PROVIDER not in onnxruntime.get_available_providers():
        return _load(card, [_CPU_PROVIDER]), CPU, "this build of ONNX Runtime has no CUDA (pip install onnxruntime-gpu)"
    try:
        session = _load(card, [_CUDA_PROVIDER, _CPU_PROVIDER])
    except ModelError as exc:
        return _load(card, [_CPU_PROVIDER]), CPU, f"CUDA does not take it ({exc.message.rstrip('.')})"
    if _CUDA_PROVIDER not in session.get_providers():
        return session, CPU, "CUDA could not be started"
    return session, CUDA, ""


def _load(card: ModelCard, providers: list[str]) -> Any:
    """Given the open file, not its content: a session keeps the bytes it is given for life, beside its own copy.

    Weights that lie beside the graph in files of their own are looked for by its path; all stay open, and are compared
    again once the session has read them.
    """
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(verified_file(card, card.graph))
        beside = [name for name in card.files if card.is_pulled and _lies_beside(name, card.graph)]
        for name in beside:
            stack.enter_context(verified_file(card, name))
        place = str(card.directory / card.graph) if beside else f"/proc/self/fd/{file.fileno()}"
        try:
            return onnxruntime.InferenceSession(place, _options(), providers=providers)
        except failures() as exc:
            raise translated(exc, f"The model {card.model_id} cannot be loaded", card.remedy) from exc


def _lies_beside(name: str, graph: str) -> bool:
    """Whether a file is in the graph's folder and may hold weights."""
    return name != graph and name.rpartition("/")[0] == graph.rpartition("/")[0] and not name.endswith(".json")


def _options() -> "onnxruntime.SessionOptions":
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = _SUPPRESS_WARNINGS
    return options


def failures() -> tuple[type[BaseException], ...]:
    """What ONNX Runtime raises: a dozen classes without a common base."""
    state = onnxruntime.capi.onnxruntime_pybind11_state
    found = (getattr(state, name) for name in dir(state))
    own = (each for each in found if isinstance(each, type) and issubclass(each, Exception))
    return (MemoryError, *own)


def is_memory_error(exc: BaseException) -> bool:
    return isinstance(exc, MemoryError) or any(word in str(exc) for word in _MEMORY_WORDS)


def translated(exc: BaseException, what: str, remedy: str) -> ModelError:
    """The typed error; the library's own words may quote what was read."""
    if is_memory_error(exc):
        return ModelError(f"{what}: its memory is used up.", remedy="Raise the setting models.memory_limit_mb.")
    return ModelError(f"{what}: {type(exc).__name__}.", remedy=remedy)
