"""The cache of sentence vectors: exact, bounded, and forgotten by age."""

from datetime import timedelta

import numpy as np

from lyra.storage import sentence_vectors

MODEL = "minilm@1"


def rows(first: float) -> np.ndarray:
    return np.array([[first, 0.5, -1.0], [0.25, first, 3.0]], np.float32)


async def test_vectors_come_back_to_the_bit(db, make):
    """One row for each sentence, by text and model."""
    await db.write(sentence_vectors.put_many, {"h1": rows(0.1), "h2": rows(0.2)[:1]}, MODEL, make.now)

    found = await db.read(sentence_vectors.get_many, ["h1", "h2", "h3"], MODEL)
    other = await db.read(sentence_vectors.get_many, ["h1"], "another@1")

    assert {key: value.tolist() for key, value in found.items()} == {
        "h1": rows(0.1).tolist(),
        "h2": rows(0.2)[:1].tolist(),
    }
    assert other == {}


async def test_what_was_asked_for_longest_ago_goes_first(db, make):
    """The cache has a limit; a text of the task at hand is not the one to go."""
    await db.write(sentence_vectors.put_many, {"h1": rows(1), "h2": rows(2), "h3": rows(3)}, MODEL, make.now)

    forgotten = await db.write(sentence_vectors.touch, ["h1"], MODEL, make.now + timedelta(hours=1), most=2)

    assert forgotten == 1
    assert set(await db.read(sentence_vectors.get_many, ["h1", "h2", "h3"], MODEL)) == {"h1", "h3"}


async def test_texts_of_long_ago_are_forgotten(db, make):
    """Whoever takes the task up later computes them again."""
    await db.write(sentence_vectors.put_many, {"h1": rows(1)}, MODEL, make.now - timedelta(days=40))
    await db.write(sentence_vectors.put_many, {"h2": rows(2)}, MODEL, make.now)

    forgotten = await db.write(sentence_vectors.forget, make.now - timedelta(days=30))

    assert forgotten == 1
    assert set(await db.read(sentence_vectors.get_many, ["h1", "h2"], MODEL)) == {"h2"}
