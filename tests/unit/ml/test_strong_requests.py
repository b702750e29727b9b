"""How pairs are put into requests of the strong reader."""

from lyra.ml.strong import in_requests


def test_pairs_of_one_text_go_together() -> None:
    """A text is read once for all its claims, wherever they stood."""
    pairs = [("rain", "a"), ("sun", "a"), ("rain", "b"), ("sun", "b")]

    assert list(in_requests(pairs)) == [[0, 2, 1, 3]]


def test_callers_take_turns_after_some_tokens() -> None:
    """A text of a thousand bytes and its claims are about half of what goes at once."""
    pairs = [(letter * 1000, "claim") for letter in "abcd"]

    assert list(in_requests(pairs)) == [[0, 1], [2, 3]]


def test_many_claims_on_one_text_are_parted() -> None:
    """The text counts again in the next part."""
    pairs = [("t" * 1000, "c" * 300)] * 4

    assert list(in_requests(pairs)) == [[0, 1], [2, 3]]


def test_no_pairs_are_no_request() -> None:
    """Nothing is started for nothing."""
    assert list(in_requests([])) == []
