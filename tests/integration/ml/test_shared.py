"""Models on a server that a group shares, and what bad servers do."""

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lyra.errors import ModelError
from lyra.ml.own_text import own_documents
from lyra.ml.remote import IsolatedModels
from lyra.ml.shared import ServerContext, SharedModels, connect_embedder, connect_reader, connect_servers
from lyra.settings import ModelEndpoint, Models
from tests.clocks import HeldClock
from tests.model_server import ModelServer, serving, vector

CALIBRATED = {"method": "two_answers", "en": {name: {"scale": 1.0, "bias": 0.0} for name in ("bears", "side")}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


@pytest.fixture
def classifier() -> Iterator[ModelServer]:
    with serving("classifier") as running:
        yield running


def at(server: ModelServer, **more: Any) -> ModelEndpoint:
    return ModelEndpoint.model_validate({"url": server.address, "timeout_s": 5.0, **more})


def unit(text: str) -> list[float]:
    found = np.asarray(vector(text), np.float32)
    return list((found / np.linalg.norm(found)).tolist())


@pytest.mark.parametrize(
    ("more", "path", "model_id"),
    [
        ({}, "/embed", "makers/tiny@0123456789ab"),
        ({"kind": "openai", "model": "gte", "version": "7", "batch_size": 4}, "/v1/embeddings", "gte@7"),
    ],
    ids=["TEI", "OpenAI"],
)
async def test_texts_are_embedded_in_batches_and_in_order(
    server: ModelServer, more: dict[str, Any], path: str, model_id: str
) -> None:
    """Five texts go in two requests of at most four; vectors have length 1; a text of signs alone is not sent."""
    embedder = await connect_embedder(at(server, **more), ServerContext(HeldClock()))
    texts = ["a", "bb", "ccc", "…", "dddd", "eeeee"]

    found = await embedder.embed(texts)

    asked = [len(request.get("inputs", request.get("input"))) for name, request in server.requests if name == path]
    assert (embedder.dimension, embedder.model_id.split("+")[0], sorted(asked)) == (3, model_id, [1, 1, 4])
    expected = [unit(text) if text != "…" else [0.0, 0.0, 0.0] for text in texts]
    np.testing.assert_allclose(found, expected, atol=1e-6)


async def test_logits_of_a_classifier_become_two_answers(classifier: ModelServer) -> None:
    """bears = logsumexp(E, C) - N and side = E - C, whatever the order in which the labels come."""
    reader = await connect_reader(at(classifier), ServerContext(HeldClock()))

    found = await reader.answers([("it rained", "rain"), ("it did not", "rain"), ("", "rain")])

    bears = math.log(math.exp(3) + 1) - 1
    np.testing.assert_allclose(found, [[bears, 3.0], [bears, -3.0], [-12.0, 0.0]], atol=1e-5)
    predicted = [request for path, request in classifier.requests if path == "/predict"][-1]
    assert predicted == {
        "inputs": [["it rained", "rain"], ["it did not", "rain"]],
        "truncate": True,
        "raw_scores": True,
    }


async def test_an_overloaded_server_is_asked_again_later(server: ModelServer) -> None:
    """Two refusals pass, with longer pauses each time."""
    clock = HeldClock()
    embedder = await connect_embedder(at(server), ServerContext(clock))
    server.refuses = [429, 503]

    found = await embedder.embed(["a"])

    np.testing.assert_allclose(found, [unit("a")], atol=1e-6)
    assert clock.slept == [0.25, 1.0]


async def test_a_batch_that_is_too_large_is_halved(server: ModelServer) -> None:
    """The server takes fewer than it says."""
    embedder = await connect_embedder(at(server), ServerContext(HeldClock()))
    server.max_batch = 1

    found = await embedder.embed(["a", "bb", "ccc"])

    np.testing.assert_allclose(found, [unit("a"), unit("bb"), unit("ccc")], atol=1e-6)


async def test_no_more_requests_are_under_way_than_allowed(server: ModelServer) -> None:
    """A hundred texts do not become a hundred connections."""
    embedder = await connect_embedder(at(server, batch_size=1, concurrency=2), ServerContext(HeldClock()))

    await embedder.embed([f"text {number}" for number in range(30)])

    assert server.most_at_once <= 2


async def test_a_server_that_fails_is_left_in_peace(server: ModelServer) -> None:
    """The next call fails at once and is not sent; after the rest it is."""
    clock = HeldClock()
    embedder = await connect_embedder(at(server), ServerContext(clock))
    server.refuses = [500] * 3
    with pytest.raises(ModelError):
        await embedder.embed(["a"])
    asked = len(server.requests)

    with pytest.raises(ModelError) as raised:
        await embedder.embed(["a"])
    unsent = len(server.requests) - asked
    clock.pass_by(16)
    found = await embedder.embed(["a"])

    assert raised.value.message.endswith("answered with status 500.")
    assert (unsent, found.shape) == (0, (1, 3))


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"<html>hello</html>", "its answer is not JSON"),
        (b"[]", "it gave another number of rows or columns than asked for"),
        (b"[[1.0]]", "it gave another number of rows or columns than asked for"),
        (b'[[1.0, "x", 2.0]]', "it gave something that is not a number"),
        (b"[[1.0, NaN, 2.0]]", "it gave something that is not a number"),
        (b'{"data": []}', "it gave another number of rows or columns than asked for"),
    ],
    ids=["HTML", "no rows", "another width", "a word", "NaN", "another schema"],
)
async def test_an_answer_in_another_form_is_a_typed_error(server: ModelServer, raw: bytes, why: str) -> None:
    """Nothing of it is used."""
    embedder = await connect_embedder(at(server), ServerContext(HeldClock()))
    server.raw = raw

    with pytest.raises(ModelError) as raised:
        await embedder.embed(["a"])

    place = server.address.removeprefix("http://")
    assert raised.value.message == f"The server at {place} does not answer like the one it is set to be: {why}."


async def test_a_server_that_dies_in_the_middle_is_a_typed_error(server: ModelServer) -> None:
    """Half an answer is none."""
    embedder = await connect_embedder(at(server), ServerContext(HeldClock()))
    server.dies_after = len(server.requests)

    with pytest.raises(ModelError) as raised:
        await embedder.embed(["a", "b", "c", "d", "e"])

    assert "The connection to the model server at" in raised.value.message


async def test_a_server_that_hangs_is_given_up(server: ModelServer) -> None:
    """After the time limit, without asking again."""
    embedder = await connect_embedder(at(server, timeout_s=0.2), ServerContext(HeldClock()))
    server.hangs = True

    with pytest.raises(ModelError) as raised:
        await embedder.embed(["a"])

    assert raised.value.message.endswith("did not answer within 0.2 s.")


@pytest.mark.parametrize(
    ("info", "why"),
    [
        ({"name": "something"}, "/info names no model"),
        ({"model_id": "x", "model_type": {"reranker": {}}}, "it serves no embedding but reranker"),
    ],
    ids=["another service", "another kind"],
)
async def test_another_service_is_not_taken_for_an_embedder(server: ModelServer, info: Any, why: str) -> None:
    """Who it is is asked before any text is sent."""
    server.info = info

    with pytest.raises(ModelError) as raised:
        await connect_embedder(at(server), ServerContext(HeldClock()))

    assert raised.value.message.endswith(f"{why}.")
    assert [path for path, _ in server.requests] == ["/info"]


async def test_labels_of_another_model_are_refused(classifier: ModelServer) -> None:
    """A classifier of moods does not judge claims."""
    classifier.labels = ("POSITIVE", "NEGATIVE", "neutral")

    with pytest.raises(ModelError) as raised:
        await connect_reader(at(classifier), ServerContext(HeldClock()))

    assert raised.value.message.endswith("its labels are not those of an NLI model.")


async def test_a_key_is_sent_and_nowhere_shown(server: ModelServer) -> None:
    """As a bearer token."""
    await connect_embedder(at(server, api_key="s3cret"), ServerContext(HeldClock()))

    assert server.keys == ["Bearer s3cret", "Bearer s3cret"]


async def test_the_isolated_process_serves_where_no_server_answers() -> None:
    """The status says so, and vectors are those of the bundled embedder."""
    endpoint = ModelEndpoint(url="http://127.0.0.1:9", timeout_s=2.0)
    models = IsolatedModels(Models(threads=1))
    models.share(await connect_servers(Models(embedding=endpoint, stance=endpoint), ServerContext(HeldClock())))

    rows = await models.embedder.embed(["It rained."])
    await models.close()

    assert (rows.shape, models.embedder.model_id) == ((1, 384), models.isolated_embedder.model_id)
    assert models.troubles() == (
        "The embedding endpoint is not used: No model server listens at 127.0.0.1:9. "
        "The isolated process embeds instead.",
        "The stance endpoint is not used: No model server listens at 127.0.0.1:9. The readers on this machine judge.",
    )


async def test_a_reader_on_a_server_may_not_judge_before_it_is_calibrated(classifier: ModelServer) -> None:
    """Without a calibration it is left out; with one it takes the large reader's place."""
    settings = Models(stance=at(classifier))

    without = await connect_servers(settings, ServerContext(HeldClock()))
    calibrated = await connect_servers(settings, ServerContext(HeldClock(), lambda _: CALIBRATED))

    assert without.reader is None
    assert without.troubles[0].startswith("The stance endpoint is not used: it is not calibrated")
    assert calibrated.reader is not None
    assert (calibrated.reader.name, calibrated.troubles) == ("large", ())


async def test_the_small_reader_goes_on_where_the_server_dies(classifier: ModelServer) -> None:
    """Every pair has an answer, by whom it says, and the trouble is told."""
    models = IsolatedModels(Models(threads=1))
    models.share(await connect_servers(Models(stance=at(classifier)), ServerContext(HeldClock(), lambda _: CALIBRATED)))
    pairs = [("It rained in Kyoto on Monday.", "Rain fell in Kyoto."), ("It rained in Kyoto.", "Kyoto was dry.")]
    before = await models.cascade.read(pairs)
    classifier.refuses = [500] * 100

    after = await models.cascade.read([(f"{text} Then it stopped.", claim) for text, claim in pairs])
    troubles = models.troubles()
    await models.close()

    assert ({one.reader for one in before}, {one.reader for one in after}) == ({"large"}, {"small"})
    place = classifier.address.removeprefix("http://")
    assert troubles == (f"The large reader is out of use: The model server at {place} answered with status 500.",)


async def test_text_of_ones_own_documents_stays_here(classifier: ModelServer) -> None:
    """A server on another machine is given none of it, without `library_text`; one on this machine is."""
    reader = await connect_reader(at(classifier), ServerContext(HeldClock()))
    elsewhere = await connect_reader(at(classifier), ServerContext(HeldClock()))
    elsewhere.client.address = _moved(elsewhere.client.address)
    asked = len(classifier.requests)

    with own_documents():
        here = await reader.answers([("it rained", "rain")])
        with pytest.raises(ModelError) as raised:
            await asyncio.create_task(_answers(elsewhere))

    assert (here.shape, len(classifier.requests) - asked) == ((1, 2), 1)
    assert raised.value.message.startswith("Text of your own documents does not go to")


async def test_a_data_directory_with_own_documents_asks_no_other_machine() -> None:
    """Not even who the server is."""

    async def has_documents() -> bool:
        return True

    endpoint = ModelEndpoint(url="https://models.example.invalid", allow_remote=True)

    found = await connect_servers(
        Models(embedding=endpoint), ServerContext(HeldClock(), has_own_documents=has_documents)
    )

    assert found == SharedModels(
        None,
        None,
        (
            "The embedding endpoint is not used: Text of your own documents does not go to models.example.invalid. "
            "The isolated process embeds instead.",
        ),
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"url": "https://models.example.invalid"}, "is not on this machine."),
        ({"url": "http://models.example.invalid", "allow_remote": True}, "is not on this machine and has no TLS."),
    ],
    ids=["remote", "no TLS"],
)
async def test_another_machine_is_asked_only_with_permission_and_tls(fields: dict[str, Any], said: str) -> None:
    """The isolated process serves instead, and the status names the reason."""
    endpoint = ModelEndpoint.model_validate(fields)

    found = await connect_servers(Models(stance=endpoint), ServerContext(HeldClock()))

    assert found.troubles == (
        f"The stance endpoint is not used: The endpoint models.example.invalid {said} "
        "The readers on this machine judge.",
    )


def _moved(address: Any) -> Any:
    """The address as if it were another machine's."""
    return type(address)(address.base, address.host, address.port, False, True)


async def _answers(reader: Any) -> Any:
    return await reader.answers([("it rained", "rain")])
