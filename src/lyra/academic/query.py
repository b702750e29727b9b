"""Whether a question belongs to scholarship, which only decides if the academic APIs are searched at the start."""

import re

from lyra.text import normalise
from lyra.urls import find_arxiv_ids, find_dois, find_pmids
from lyra.word_lists import word_lists

_SITES = re.compile(
    r"site:(?:\S*\.)?(?:ac\.jp|edu|ac\.uk|arxiv\.org|nih\.gov|jstage\.jst\.go\.jp|cir\.nii\.ac\.jp|doi\.org)",
    re.IGNORECASE,
)


def is_academic_query(query: str) -> bool:
    """A scholarly identifier, a scholarly site, or the vocabulary of studies."""
    folded = normalise(query)
    has_identifier = bool(find_dois(folded) or find_pmids(folded) or find_arxiv_ids(folded))
    return has_identifier or bool(
        _SITES.search(folded)
        or word_lists("lyra.academic", "scholarship", "en", "ja").pattern("scholarly").search(folded)
    )
