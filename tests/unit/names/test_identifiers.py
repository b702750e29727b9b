"""Official numbers and their check digits."""

import pytest

from lyra.names.identifiers import NamedIdentifier, as_identifier, find_identifiers, is_corporate_number, is_lei


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        pytest.param("5493006MHB84DD0ZWV18", True, id="right"),
        pytest.param("5493006MHB84DD0ZWV19", False, id="wrong-digit"),
        pytest.param("5493006MHB84DD0ZVW18", False, id="letters-exchanged"),
        pytest.param("5493006mhb84dd0zwv18", False, id="lower-case"),
        pytest.param("", False, id="empty"),
    ],
)
def test_lei_check_digits(value: str, is_right: bool) -> None:
    """ISO 7064 mod 97-10 over the whole number is 1."""
    assert is_lei(value) is is_right


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        pytest.param("8700110005901", True, id="the-example-of-the-ordinance"),
        pytest.param("7000012050002", True, id="an-agency"),
        pytest.param("7700110005901", False, id="wrong-digit"),
        pytest.param("870011000590", False, id="too-short"),
        pytest.param("0700110005901", False, id="no-zero"),
    ],
)
def test_corporate_number_check_digit(value: str, is_right: bool) -> None:
    """The first of thirteen digits checks the others."""
    assert is_corporate_number(value) is is_right


def test_identifiers_are_found_in_a_text() -> None:
    """Wide digits and the T of an invoice number are read; a number with a wrong check digit is none."""
    found = find_identifiers("法人番号 Ｔ８７００１１０００５９０１、LEI 5493006MHB84DD0ZWV18、1234567890123、E02144")

    assert found == (
        NamedIdentifier("lei", "5493006MHB84DD0ZWV18"),
        NamedIdentifier("corporate_number", "8700110005901"),
        NamedIdentifier("edinet_code", "E02144"),
    )


def test_a_value_with_a_wrong_check_digit_is_no_identifier() -> None:
    """A registry's own field is checked like any other."""
    assert as_identifier("corporate_number", "7700110005901") is None
    assert as_identifier("corporate_number", 8700110005901) == NamedIdentifier("corporate_number", "8700110005901")
    assert as_identifier("lei", None) is None
