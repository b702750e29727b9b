"""The models as the server sees them: any text, any accident, always the same model."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import psutil
import pytest

from lyra.errors import ModelError
from lyra.ml.card import model_directory
from lyra.ml.remote import IsolatedModels
from lyra.settings import Models
from tests import tiny_models

from .conftest import change_card, rehash

Until = Callable[[Callable[[], bool]], Awaitable[None]]
ProcessOf = Callable[[IsolatedModels], psutil.Process]

KEEP_NO_AXIS = tiny_models.attribute("keepdims", 0)
TEXTS = [
    "Sitagliptin lowered HbA1c by 0.7 percentage points compared with placebo.",
    "シタグリプチンはプラセボと比べてHbA1cを0.7ポイント低下させた。",
    "The festival attracted more visitors than in the previous year.",
]


def make_garbage(directory: Path) -> None:
    """Bytes that are no model, with the hash that they have on the card."""
    (directory / "model.onnx").write_bytes(b"not a graph")
    rehash(directory, "model.onnx")


async def test_vectors_have_length_one_and_order_by_meaning(calm_models: IsolatedModels) -> None:
    """A paraphrase is nearer than another subject; every known text has a unit vector."""
    paraphrase = "Compared with placebo, HbA1c fell by 0.7 points under sitagliptin."

    rows = await calm_models.embedder.embed([*TEXTS, paraphrase])

    similarity = rows @ rows[3]
    assert rows.shape == (4, calm_models.embedder.dimension)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert similarity[0] > 0.85
    assert similarity[2] < 0.2


async def test_vector_of_a_text_does_not_depend_on_its_company(calm_models: IsolatedModels) -> None:
    """Replay must give the same graph: alone, in a batch or in another order, a text has the same bytes."""
    alone = [await calm_models.embedder.embed([text]) for text in TEXTS]

    together = await calm_models.embedder.embed([*reversed(TEXTS), *["filler sentence"] * 70])

    assert np.concatenate(alone).tobytes() == together[2::-1].tobytes()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t ", id="white space"),
        pytest.param("🎉😀🎉", id="emoji only"),
        pytest.param("\ud800", id="lone surrogate only"),
        pytest.param("\x00\x00", id="control characters"),
    ],
)
async def test_text_without_known_words_has_the_zero_vector(calm_models: IsolatedModels, text: str) -> None:
    """Nothing to compare is similar to nothing: no two emoji rows may look like near-duplicates."""
    rows = await calm_models.embedder.embed([text])

    assert not rows.any()


async def test_lone_surrogate_is_passed_over(calm_models: IsolatedModels) -> None:
    """Half a character out of a broken page costs that half, not the batch."""
    rows = await calm_models.embedder.embed(["HbA1c \ud83d fell", "HbA1c  fell"])

    assert rows[0].tobytes() == rows[1].tobytes()


async def test_ten_megabytes_cost_no_more_than_a_page(calm_models: IsolatedModels) -> None:
    """A huge text is its beginning: the same vector, without sending the rest."""
    page = "The trial enrolled patients with type 2 diabetes. " * 1_000

    rows = await calm_models.embedder.embed([page * 200, page])

    assert rows[0].tobytes() == rows[1].tobytes()


async def test_no_texts_no_process(models: IsolatedModels) -> None:
    """An empty call gives an empty matrix and starts nothing."""
    rows = await models.embedder.embed([])

    assert rows.shape == (0, 384)
    assert models.status().is_running is False


async def test_killed_in_the_middle_of_a_batch_it_restarts_and_answers_the_same(
    models: IsolatedModels, until: Until, process_of: ProcessOf
) -> None:
    """A crash costs a restart, visible in the status, and never the result."""
    undisturbed = await models.embedder.embed(TEXTS)
    worker = process_of(models)
    worker.suspend()
    pending = asyncio.create_task(models.embedder.embed(TEXTS))
    await until(lambda: models.status().requests == 2)

    worker.kill()
    rows = await pending

    status = models.status()
    assert rows.tobytes() == undisturbed.tobytes()
    assert (status.starts, status.crashes, status.last_crash) == (2, 1, "killed by SIGKILL")
    assert status.pid != worker.pid


async def test_probe_starts_anew_a_process_that_died_while_idle(models: IsolatedModels, process_of: ProcessOf) -> None:
    """The doctor gets its answer from a living process, never an error of the connection."""
    await models.probe()
    process_of(models).kill()

    status = await models.probe()

    assert (status.can_reach_network, status.starts, status.crashes) == (False, 2, 1)


async def test_troubles_tell_that_the_process_died_and_nothing_before(
    models: IsolatedModels, process_of: ProcessOf
) -> None:
    """A restart is told to whoever asks for the task's status, not only to the log."""
    await models.embedder.embed(TEXTS)
    before = models.troubles()
    process_of(models).kill()

    await models.embedder.embed(TEXTS)

    assert (before, models.troubles()) == (
        (),
        (
            "The inference process ended unexpectedly (times: 1; last: killed by SIGKILL); "
            "the same model is started again when it is needed.",
        ),
    )


async def test_cancelled_request_is_never_sent(models: IsolatedModels, until: Until, process_of: ProcessOf) -> None:
    """A caller that gives up while others are served frees its turn and disturbs no one."""
    await models.embedder.embed(TEXTS)
    worker = process_of(models)
    worker.suspend()
    first = asyncio.create_task(models.embedder.embed(TEXTS))
    await until(lambda: models.status().requests == 2)
    second = asyncio.create_task(models.embedder.embed(["HbA1c"] * 500))
    await asyncio.sleep(0)

    second.cancel()
    worker.resume()
    rows = await first

    assert rows.shape == (3, 384)
    with pytest.raises(asyncio.CancelledError):
        await second
    assert models.status().items == {"embed": 6}


async def test_closing_ends_the_request_under_way(models: IsolatedModels, until: Until, process_of: ProcessOf) -> None:
    """Shutting down does not wait for a process that hangs; the caller gets a typed error."""
    await models.embedder.embed(TEXTS)
    worker = process_of(models)
    worker.suspend()
    pending = asyncio.create_task(models.embedder.embed(TEXTS))
    await until(lambda: models.status().requests == 2)

    await models.close()

    with pytest.raises(ModelError, match="The models are closed"):
        await pending
    assert worker.is_running() is False


async def test_closed_models_refuse(models: IsolatedModels) -> None:
    """After closing nothing is started again behind the owner's back."""
    await models.close()

    with pytest.raises(ModelError, match="The models are closed"):
        await models.embedder.embed(TEXTS)


async def test_idle_process_ends_and_comes_back_when_needed(until: Until) -> None:
    """Memory is given back after idling; that is no crash, and the next request works."""
    models = IsolatedModels(Models(idle_exit_s=0.05))
    before = await models.embedder.embed(TEXTS)
    await until(lambda: not models.status().is_running)

    after = await models.embedder.embed(TEXTS)
    status = models.status()
    await models.close()

    assert before.tobytes() == after.tobytes()
    assert (status.starts, status.crashes) == (2, 0)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_damaged_weights_are_refused(copied_weights: Path, name: str) -> None:
    """One changed byte, and the model is not used: the error names the file."""
    path = copied_weights / "embedder" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    models = IsolatedModels(Models(directory=copied_weights))

    with pytest.raises(ModelError) as caught:
        await models.embedder.embed(TEXTS)
    await models.close()

    assert caught.value.details["file"] == str(path)
    assert caught.value.remedy == "Reinstall lyra-mcp, or point the setting models.directory at intact weights."


async def test_probe_finds_damage_before_any_use(copied_weights: Path) -> None:
    """`lyra doctor` says at once what a search would stumble over an hour later."""
    path = copied_weights / "embedder" / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1])
    models = IsolatedModels(Models(directory=copied_weights))

    with pytest.raises(ModelError) as caught:
        await models.probe()
    await models.close()

    assert caught.value.details["file"] == str(path)


async def test_probe_finds_weights_that_are_no_model(copied_weights: Path) -> None:
    """A fitting hash alone is no sign of health: the model has to answer."""
    make_garbage(copied_weights / "embedder")
    models = IsolatedModels(Models(directory=copied_weights))

    with pytest.raises(ModelError, match="cannot be loaded"):
        await models.probe()
    await models.close()


async def test_weights_exchanged_under_a_running_server_are_refused(
    copied_weights: Path, process_of: ProcessOf
) -> None:
    """A restart after a crash must not bring another model: edges already name the first one."""
    models = IsolatedModels(Models(directory=copied_weights))
    await models.embedder.embed(TEXTS)
    change_card(copied_weights / "embedder", files={"model.onnx": "0" * 64, "tokenizer.json": "0" * 64})
    process_of(models).kill()

    with pytest.raises(ModelError, match="changed while the server was running"):
        await models.embedder.embed(TEXTS)
    await models.close()


async def test_weights_that_are_no_model_are_refused(copied_weights: Path) -> None:
    """Garbage with a fitting hash is a typed error, not a crash loop."""
    make_garbage(copied_weights / "embedder")
    models = IsolatedModels(Models(directory=copied_weights))

    with pytest.raises(ModelError, match=r"cannot be loaded: InvalidProtobuf\."):
        await models.embedder.embed(TEXTS)
    crashes = models.status().crashes
    await models.close()

    assert crashes == 0


async def test_process_that_dies_on_every_attempt_is_an_error(copied_weights: Path) -> None:
    """Twice is enough: the request fails with what the process died of, and without what it was reading."""
    directory = copied_weights / "embedder"
    nodes = [
        tiny_models.node("Cast", ["input_ids"], "numbers", tiny_models.attribute("to", tiny_models.FLOAT)),
        tiny_models.node("ReduceMean", ["numbers"], "mean", tiny_models.ints("axes", 1), KEEP_NO_AXIS),
    ]
    graph = tiny_models.model(nodes, [], ("input_ids",), {"mean": ("batch",)})
    (directory / "model.onnx").write_bytes(graph)
    rehash(directory, "model.onnx")
    models = IsolatedModels(Models(directory=copied_weights))

    with pytest.raises(ModelError) as caught:
        await models.embedder.embed(TEXTS)
    crashes = models.status().crashes
    await models.close()

    assert caught.value.message == ("The inference process ended 2 times on the same request (exit code 1, TypeError).")
    assert crashes == 2


async def test_status_counts_what_each_model_did(models: IsolatedModels) -> None:
    """One process serves both models, and the counters say how much each was used."""
    await models.embedder.embed(TEXTS)

    await models.readers[0].answers([(TEXTS[0], TEXTS[1]), (TEXTS[0], TEXTS[2])])

    status = models.status()
    assert status.items == {"embed": 3, "read": 2}
    assert sorted(status.seconds) == ["embed", "read"]
    assert (status.starts, status.requests) == (1, 2)


async def test_a_model_takes_less_than_twice_the_memory_of_its_file(
    models: IsolatedModels, process_of: ProcessOf
) -> None:
    """Its weights are held once, and the tokenizer that it shares with the one before it not again."""
    await models.embedder.embed(TEXTS)
    before = process_of(models).memory_info().rss

    await models.readers[0].answers([(TEXTS[0], TEXTS[2])])

    taken = process_of(models).memory_info().rss - before
    assert taken < 2 * (model_directory("small") / "model.onnx").stat().st_size
