"""Edges: judged texts, probabilities and reasons for no vote."""

from lyra.model.edge import AnswerProbabilities, JudgedPart, JudgedText, PartRole


def test_two_answers_are_three_probabilities_by_the_reader_s_own_chances() -> None:
    """For it, against it, or not about it; the calibrated chances have no part in them."""
    answers = AnswerProbabilities(bears_raw=0.5, side_raw=0.75, bears=0.9, side=0.1)

    assert answers.raw_probabilities == (0.375, 0.125, 0.5)


def test_what_was_read_beside_the_quote_stands_in_brackets() -> None:
    """Title, heading and neighbouring sentences; line breaks do not matter."""
    text = "Gliptins. Results. It was counted. The risk rose.\nIt fell later."
    parts = (
        JudgedPart(PartRole.TITLE, 0, 8),
        JudgedPart(PartRole.HEADING, 10, 17),
        JudgedPart(PartRole.CONTEXT, 19, 34, 0, 15),
        JudgedPart(PartRole.DECIDING, 35, 49, 16, 30),
        JudgedPart(PartRole.CONTEXT, 50, 64, 31, 45),
    )

    judged = JudgedText(text, parts)

    assert judged.marked == "[Gliptins. Results. It was counted.] The risk rose. [It fell later.]"
    assert judged.quote_start == 16


def test_a_quote_that_was_read_alone_has_no_brackets() -> None:
    """Nothing was read beside it."""
    assert JudgedText("The risk rose.", (JudgedPart(PartRole.DECIDING, 0, 14, 3, 17),)).marked == "The risk rose."


def test_the_cells_of_a_row_are_told_from_the_names_of_columns() -> None:
    """Names in brackets, cells without."""
    parts = (
        JudgedPart(PartRole.HEADER, 0, 4, 0, 4),
        JudgedPart(PartRole.DECIDING, 6, 12, 20, 26),
        JudgedPart(PartRole.HEADER, 14, 18, 7, 11),
        JudgedPart(PartRole.DECIDING, 20, 22, 29, 31),
    )

    assert JudgedText("Lake: Tademi, 2020: 62.", parts).marked == "[Lake:] Tademi, [2020:] 62."


def test_without_a_place_there_is_no_start() -> None:
    """A text that stands in no fragment, as an old or foreign one may."""
    assert JudgedText("So.", (JudgedPart(PartRole.DECIDING, 0, 3),)).quote_start is None


def test_of_the_beginning_of_the_page_people_are_shown_the_first_words() -> None:
    """A quote cut to a number of characters still holds the words that decided; the text itself keeps all."""
    beginning = (
        "We asked ninety tenants of the four blocks by the river, whose boilers were taken out, and wrote down all "
        "they said."
    )
    text = f"Talk Hexley. {beginning}\u2029The risk rose."
    parts = (
        JudgedPart(PartRole.SITE, 0, 11),
        JudgedPart(PartRole.BEGINNING, 13, 13 + len(beginning), 0, len(beginning), "f_0"),
        JudgedPart(PartRole.DECIDING, 14 + len(beginning), len(text), 0, 14),
    )

    judged = JudgedText(text, parts)

    assert judged.marked == (
        "[Talk Hexley. We asked ninety tenants of the four blocks by the river, whose boilers were taken out, and…] "
        "The risk rose."
    )
    assert judged.text[parts[1].start : parts[1].end] == beginning
