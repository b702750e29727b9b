"""The names by which texts may call a work."""

import pytest

from lyra.model.work import author_keys, work_keys


def test_a_work_is_called_by_its_identifiers_its_authors_and_its_year() -> None:
    """First author and year, first two authors, and each author who is quoted."""
    assert work_keys([("doi", "10.5555/A.1")], ["Faisal Ormerod", "Prewett, Lucinda"], 2024) == (
        "work:doi:10.5555/a.1",
        "cited:ormerod 2024",
        "authors:ormerod prewett",
        "person:faisal ormerod",
        "person:lucinda prewett",
    )


def test_a_japanese_author_is_also_called_by_the_family_name() -> None:
    """Nothing parts it from the given name: two signs of four, two or three of five."""
    assert work_keys([], ["栗栖真帆"], 2020) == (
        "cited:栗栖真帆 2020",
        "cited:栗栖 2020",
        "person:栗栖真帆",
        "person:栗栖",
    )


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Jane Q. Doe", ["person:jane doe"]),
        ("Doe, Jane", ["person:jane doe"]),
        ("壱岐尾亮介", ["person:壱岐尾亮介", "person:壱岐", "person:壱岐尾"]),
        ("高土居さつき", ["person:高土居さつき", "person:高土", "person:高土居"]),
        ("山田 太郎", ["person:山田 太郎"]),
        ("林健", ["person:林健"]),
    ],
)
def test_how_a_person_is_called(name: str, keys: list[str]) -> None:
    """By the whole name, and in Japanese by what may be the family name."""
    assert author_keys(name) == keys
