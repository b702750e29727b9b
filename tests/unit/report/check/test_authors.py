"""Marks by author and year: names of several words, in brackets or before a year, in both languages."""

import pytest

from lyra.report.check.authors import find_author_marks


@pytest.mark.parametrize(
    ("text", "name", "years"),
    [
        ("It rose (Fisheries Office 2024).", "Fisheries Office", (2024,)),
        ("It rose (see Eastmarch Audit Office, 2022, p. 4).", "Eastmarch Audit Office", (2022,)),
        ("It rose (Ministry of Health and Care, 2021).", "Ministry of Health and Care", (2021,)),
        ("It rose (Herald, 17 February 2024).", "Herald", (2024,)),
        ("It rose (Smith, J. & Wu, K., 2020, 2022).", "Smith, J. & Wu, K.", (2020, 2022)),
        ("It rose (Fisheries Office, n.d.).", "Fisheries Office", ()),
        ("増えた（鈴代新聞 2025）。", "鈴代新聞", (2025,)),
        ("増えた（鈴代新聞、2025年3月22日）。", "鈴代新聞", (2025,)),
        ("増えた（市監査委員 令和6年）。", "市監査委員", (2024,)),
        ("増えた（まちと暮らす 2023）。", "まちと暮らす", (2023,)),
        ("すずしろテレビ（2024）は伝えた。", "すずしろテレビ", (2024,)),
    ],
)
def test_names_of_several_words_are_read_with_their_year(text: str, name: str, years: tuple[int, ...]) -> None:
    """The whole name is kept as it is written; eras become years, and "n.d." is none."""
    (mark,) = find_author_marks(text)

    assert (mark.name, mark.years, mark.is_certain) == (name, years, True)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("In March the Fisheries Office (2024) said so.", ("Fisheries Office",)),
        ("According to Ravenhall and Lindqvist (2025) it fell.", ("Ravenhall", "Lindqvist")),
    ],
)
def test_words_that_begin_a_sentence_are_no_part_of_a_name(text: str, people: tuple[str, ...]) -> None:
    """Months and prepositions before a name are left out."""
    (mark,) = find_author_marks(text)

    assert mark.people == people


@pytest.mark.parametrize(
    "text",
    [
        "They remember the flood at Garrow Quay (2013).",
        "It was low (as measured by hand at Garrow Quay, 2024).",
        "調査（2024年）では増えた。",
        "増えた（対象は令和6年度）。",
    ],
)
def test_places_events_and_dates_are_uncertain_marks(text: str) -> None:
    """They are citations only where a source of that name is found."""
    assert [one.is_certain for one in find_author_marks(text)] == [False]
