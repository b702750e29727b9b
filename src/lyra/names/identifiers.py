"""Identifiers of organisations, checked by their own check digits."""

import re
from dataclasses import dataclass

from lyra.text import nfkc

LEI = "lei"
CORPORATE_NUMBER = "corporate_number"
EDINET_CODE = "edinet_code"
# Schemes of which one organisation has one number alone: two numbers are two organisations.
UNIQUE_SCHEMES = frozenset({LEI, CORPORATE_NUMBER, EDINET_CODE})
_LEI = re.compile(r"(?<![A-Z0-9])[A-Z0-9]{18}[0-9]{2}(?![A-Z0-9])")
_CORPORATE_NUMBER = re.compile(r"(?<![0-9])T?([1-9][0-9]{12})(?![0-9])")
_EDINET_CODE = re.compile(r"(?<![A-Z0-9])E[0-9]{5}(?![A-Z0-9])")


@dataclass(frozen=True, slots=True)
class NamedIdentifier:
    """A number with the scheme that gave it."""

    scheme: str
    value: str


def is_lei(value: str) -> bool:
    """Whether the two check digits of a legal entity identifier are right (ISO 17442, ISO 7064 mod 97-10)."""
    if not re.fullmatch(r"[A-Z0-9]{18}[0-9]{2}", value):
        return False
    return int("".join(str(int(char, 36)) for char in value)) % 97 == 1


def is_corporate_number(value: str) -> bool:
    """Whether the first digit of a 法人番号 is its check digit: 9 minus the weighted sum of the other twelve, mod 9.

    Weights from the last digit on are 1, 2, 1, 2, … (財務省令 平成26年第70号).
    """
    if not re.fullmatch(r"[1-9][0-9]{12}", value):
        return False
    weighted = sum(int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(value[1:])))
    return int(value[0]) == 9 - weighted % 9


def find_identifiers(text: str) -> tuple[NamedIdentifier, ...]:
    """Every identifier in a text whose check digits are right, in order of scheme; EDINET codes have none."""
    plain = nfkc(text).upper()
    found = [NamedIdentifier(LEI, one) for one in _LEI.findall(plain) if is_lei(one)]
    found += [
        NamedIdentifier(CORPORATE_NUMBER, one) for one in _CORPORATE_NUMBER.findall(plain) if is_corporate_number(one)
    ]
    found += [NamedIdentifier(EDINET_CODE, one) for one in _EDINET_CODE.findall(plain)]
    return tuple(dict.fromkeys(found))


def as_identifier(scheme: str, value: object) -> NamedIdentifier | None:
    """The value in normal form under its scheme; none where it is not text, or its check digits are wrong."""
    plain = re.sub(r"[\s-]", "", nfkc(str(value))).upper() if isinstance(value, str | int) else ""
    checks = {LEI: is_lei, CORPORATE_NUMBER: is_corporate_number}
    is_right = checks[scheme](plain) if scheme in checks else bool(plain)
    return NamedIdentifier(scheme, plain) if is_right else None
