"""Identifiers: random for what a user starts, derived for what is found."""

import hashlib

import pytest

from lyra.ids import TASK_ID, bytes_hash, derived_id, new_id, new_task_id, text_hash


def test_task_ids_are_random_and_of_one_form() -> None:
    """Unguessable, and recognised by their form before the database is asked."""
    made = {new_task_id() for _ in range(100)}

    assert len(made) == 100
    assert [one for one in made if not TASK_ID.fullmatch(one)] == []


@pytest.mark.parametrize(
    "text", ["task_0123456789AB", "task_0123456789ab\n", "task_0123456789abc", "Task_0123456789ab", ""]
)
def test_what_is_no_task_id(text: str) -> None:
    """Neither case nor a trailing line end is overlooked."""
    assert TASK_ID.fullmatch(text) is None


def test_other_ids_name_their_kind() -> None:
    """A reader of a log sees what an id is of."""
    assert new_id("s")[:2] == "s_"
    assert len(new_id("s")) == 14


def test_derived_ids_repeat_and_keep_parts_apart() -> None:
    """The same parts give the same id everywhere; moving a border between parts gives another."""
    assert derived_id("c", "task_1", "心不全") == "c_" + hashlib.sha256("task_1\x1f心不全".encode()).hexdigest()[:16]
    assert derived_id("c", "ab", "c") != derived_id("c", "a", "bc")


@pytest.mark.parametrize("text", ["", "心不全", "lone \ud800 surrogate"])
def test_any_text_can_be_hashed(text: str) -> None:
    """Text from the web may hold what UTF-8 cannot; it must not stop the pipeline."""
    assert len(text_hash(text)) == 64
    assert len(derived_id("f", text)) == 18


def test_hashes_are_sha256() -> None:
    """So that anybody can check a quote with a tool of their own."""
    assert text_hash("abc") == bytes_hash(b"abc") == hashlib.sha256(b"abc").hexdigest()
