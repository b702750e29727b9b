"""What the words of an assessment mean, for who reads an answer: only those that occur in it."""

from collections.abc import Iterable

VERDICTS = {
    "well_supported": "confidence 0.75 or more",
    "supported": "confidence 0.6 or more; one source gives about 0.65",
    "contested": "weight on both sides: controversy above 0.3",
    "likely_false": "confidence 0.4 or less",
    "unverified": "too little evidence either way; 0.5 is none",
}
VERIFICATIONS = {
    "verified": "2 or more independent sources support it, and no refutation counts",
    "pending": "fewer than 2 independent sources, or high trust on both sides",
    "rejected": "refuted with 0.7 or more, and no source of high trust supports it",
}
ADOPTIONS = {
    "adopted": "verified, or report_confidence 0.7 or more",
    "pending": "neither adopted nor rejected",
    "not_adopted": "rejected; kept with what would restore it in v_rejected_claims",
}


def meaning_of(
    verdicts: Iterable[str], verifications: Iterable[str] = (), adoptions: Iterable[str] = ()
) -> dict[str, str]:
    """Each word once, with the field it stands in."""
    fields = (
        ("verdict", VERDICTS, set(verdicts)),
        ("verification_status", VERIFICATIONS, set(verifications)),
        ("adoption_status", ADOPTIONS, set(adoptions)),
    )
    return {f"{name} {word}": meanings[word] for name, meanings, given in fields for word in meanings if word in given}
