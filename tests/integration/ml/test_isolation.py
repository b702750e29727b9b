"""L1: the inference process cannot reach any network, however it was cut off."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from lyra.errors import ModelError
from lyra.ml.remote import IsolatedModels
from lyra.settings import Models

SENTENCE = "DPP-4 inhibitors do not increase the risk of pancreatitis."


@pytest.mark.parametrize("layers", [("namespace",), ("namespace", "seccomp")], ids=["alone", "with seccomp"])
@pytest.mark.usefixtures("namespaces")
async def test_namespace_leaves_the_parents_listener_out_of_reach(layers: tuple[str, ...]) -> None:
    """With the models loaded, a connection to a listener that the parent reaches must fail."""
    models = IsolatedModels(Models(), layers=layers)
    await models.embedder.embed([SENTENCE])

    status = await models.probe()
    await models.close()

    assert (status.mechanism, status.layers, status.can_reach_network) == ("namespace", layers, False)
    assert status.warning is None


async def test_seccomp_serves_where_namespaces_are_refused() -> None:
    """Containers often refuse namespaces; the filter alone must hold, and inference must work under it."""
    models = IsolatedModels(Models(), layers=("seccomp",))
    rows = await models.embedder.embed([SENTENCE])

    status = await models.probe()
    await models.close()

    assert (status.mechanism, status.can_reach_network) == ("seccomp", False)
    assert status.refused == {"namespace": "not asked for"}
    assert rows.shape == (1, 384)


async def test_without_any_layer_the_probe_does_reach_the_listener() -> None:
    """The counter-test: the probe can tell an open network from a closed one, and the status warns loudly."""
    models = IsolatedModels(Models(isolation="preferred"), layers=())

    status = await models.probe()
    await models.close()

    warning = (
        "The inference process is NOT isolated from the network (namespace: not asked for; seccomp: not asked for)."
    )
    assert (status.mechanism, status.can_reach_network) == ("none", True)
    assert (status.warning, models.troubles()) == (warning, (warning,))


async def test_required_isolation_that_is_impossible_is_an_error() -> None:
    """By default nothing is judged outside the wall; the error says what to allow or set."""
    models = IsolatedModels(Models(), layers=())

    with pytest.raises(ModelError) as caught:
        await models.embedder.embed([SENTENCE])
    status = models.status()
    await models.close()

    assert "models.isolation to preferred" in str(caught.value.remedy)
    assert (status.is_running, status.starts) == (False, 0)


async def test_process_inherits_neither_files_nor_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open socket or a key of the server would be a way out; only the connection is passed on."""
    monkeypatch.setenv("LYRA_ACADEMIC__SEMANTIC_SCHOLAR_KEY", "s2-secret")
    models = IsolatedModels(Models())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.set_inheritable(True)
        status = await models.probe()
    process = psutil.Process(status.pid)
    files = f"/proc/{process.pid}/fd"
    links = [os.readlink(f"{files}/{number}") for number in os.listdir(files)]
    environment = process.environ()
    await models.close()

    assert sum(link.startswith("socket:") for link in links) == 1
    assert "LYRA_ACADEMIC__SEMANTIC_SCHOLAR_KEY" not in environment


async def test_runtime_leaves_no_trace_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime's builds keep a device id and a telemetry database there unless they are told not to."""
    monkeypatch.setenv("HOME", str(tmp_path))
    models = IsolatedModels(Models())

    await models.embedder.embed([SENTENCE])
    await models.close()

    assert os.listdir(tmp_path) == []


async def test_memory_limit_is_kept_by_the_kernel() -> None:
    """The limit is the process's own resource limit, not a promise."""
    models = IsolatedModels(Models(memory_limit_mb=512))

    status = await models.probe()
    limit = psutil.Process(status.pid).rlimit(psutil.RLIMIT_DATA)
    await models.close()

    assert limit == (512 * 1024 * 1024, 512 * 1024 * 1024)


def test_process_dies_with_a_parent_that_is_killed() -> None:
    """A server killed without a chance to clean up leaves no inference process behind, not even one that hangs."""
    script = (
        "import asyncio, os, signal\n"
        "from lyra.ml.remote import IsolatedModels\n"
        "from lyra.settings import Models\n"
        "status = asyncio.run(IsolatedModels(Models()).probe())\n"
        "print(status.pid, flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        worker = psutil.Process(int(parent.stdout.readline()))
        worker.suspend()
        parent.kill()

    gone, alive = psutil.wait_procs([worker], timeout=10)

    assert (gone, alive) == ([worker], [])


def test_server_side_imports_no_numeric_library() -> None:
    """Start-up and idle memory: the server holds the models' faces without numpy or ONNX Runtime."""
    script = (
        "import sys, lyra.ml.remote, lyra.ml.caches, lyra.rank.ranker, lyra.calibration.bundled\n"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'sudachipy') if name in sys.modules])"
    )

    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "[]"
