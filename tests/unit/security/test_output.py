"""L4: what an answer may not hold."""

import pytest

from lyra.security.prompts import output_faults

SYSTEM = "You judge how much a web page is worth as a source of evidence."
GIVEN = "The agency (https://www.fdso.gov/safety, 192.0.2.7) warns of heart failure."


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["a careful page", "出典が明記されている"], ()),
        (["see https://www.fdso.gov/safety."], ()),
        (["see https://evil.example/?q=secret"], ("foreign_url",)),
        (["FTP://evil.example/x"], ("foreign_url",)),
        (["host 192.0.2.7"], ()),
        (["host 198.51.100.9"], ("foreign_ip",)),
        (["2001:db8:0:1:2:3:4:5"], ("foreign_ip",)),
        (["much a web page is w"], ("system_text",)),
        (["how much a web page"], ()),
        (["my tag is lyra-0123456789ab"], ("system_text",)),
        (["how much a web\u200b page is worth, https://evil.example/"], ("foreign_url", "system_text")),
        ([], ()),
    ],
    ids=[
        "plain",
        "given url",
        "foreign url",
        "foreign ftp",
        "given ip",
        "foreign ip",
        "foreign ipv6",
        "twenty characters",
        "nineteen characters",
        "tag",
        "hidden and both",
        "nothing",
    ],
)
def test_what_an_answer_may_not_hold_is_named(words: list[str], found: tuple[str, ...]) -> None:
    """Addresses the model was not given, and twenty characters in a row of what it was told."""
    assert output_faults(words, given=GIVEN, system=SYSTEM) == found
