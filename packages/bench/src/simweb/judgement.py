"""How a careful reader who knows the world would judge a claim: whether it is true, and which verdicts fit it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from simweb.world import WorldError

TruthValue = Literal["true", "false", "open"]
Verdict = Literal["well_supported", "supported", "contested", "likely_false", "unverified"]

TRUTH_VALUES: tuple[TruthValue, ...] = get_args(TruthValue)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

# YAML reads an unquoted `true` as a boolean.
_PLAIN = {True: "true", False: "false"}


def read_truth_value(claim: Mapping[str, Any]) -> TruthValue | None:
    """The claim's `truth`; None where it is not said."""
    if "truth" not in claim:
        return None
    given = claim["truth"]
    named = _PLAIN[given] if isinstance(given, bool) else given
    for value in TRUTH_VALUES:
        if value == named:
            return value
    raise WorldError(f"truth.yaml: claim {claim['id']}: truth {given!r} is none of {', '.join(TRUTH_VALUES)}")


def read_verdicts(claim: Mapping[str, Any]) -> tuple[Verdict, ...]:
    """The claim's `acceptable_verdicts`, strongest first; none where they are not said."""
    if "acceptable_verdicts" not in claim:
        return ()
    given = claim["acceptable_verdicts"]
    if not isinstance(given, list) or not given:
        raise WorldError(f"truth.yaml: claim {claim['id']}: acceptable_verdicts is no list with a verdict")
    unknown = [str(name) for name in given if name not in VERDICTS]
    if unknown:
        known = ", ".join(VERDICTS)
        raise WorldError(f"truth.yaml: claim {claim['id']}: verdict {', '.join(unknown)} is none of {known}")
    return tuple(verdict for verdict in VERDICTS if verdict in given)
