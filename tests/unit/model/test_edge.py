"""Edges and judgements."""

from lyra.model.edge import AnswerProbabilities


def test_two_answers_are_three_probabilities_by_the_reader_s_own_chances() -> None:
    """For it, against it, or not about it; the calibrated chances have no part in them."""
    answers = AnswerProbabilities(bears_raw=0.5, side_raw=0.75, bears=0.9, side=0.1)

    assert answers.raw_probabilities == (0.375, 0.125, 0.5)
