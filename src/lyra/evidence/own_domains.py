"""Whether a domain is an institution's own, told by its name."""

import re
from functools import cache, lru_cache

from lyra.word_lists import WordLists, word_lists

# A domain of three letters may be anybody's initials; of one that only institutions may have, or of four, it is taken.
_SHORTEST = 3
_PLAIN_ENDS = ("gov", "edu", "int", "org", "ac", "go", "mil")


@lru_cache(maxsize=20_000)
def is_own_domain(name: str, domain: str) -> bool:
    """Whether a registrable domain is made of an institution's name, or of its initials.

    The name is that of a key. The end of a domain may stand for the kind of institution: norleigh.edu is Norleigh
    University's.
    """
    label, *ends = domain.lower().split(".")
    label = label.replace("-", "")
    words = name.split()
    if len(label) < _SHORTEST or not label.isascii() or not words:
        return False
    kinds = {kind for end in ends for kind in _kinds().get(end, ())}
    variants = [words, [word for word in words if word not in _lists().words("small_words")]]
    variants += [one[1:] for one in variants if one[0] in _lists().words("leading") and len(one) > 2]
    variants += [[word for word in one if word not in kinds] for one in variants if len(one) > 1]
    if label in {re.sub(r"\W", "", "".join(one)) for one in variants}:
        return True
    is_enough = len(label) > _SHORTEST or any(end in _PLAIN_ENDS for end in ends)
    return is_enough and label in {"".join(word[0] for word in one) for one in variants[:2]}


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    return dict(_lists().groups("domain_kinds"))


def _lists() -> WordLists:
    return word_lists("lyra.evidence", "institutions", "en")
