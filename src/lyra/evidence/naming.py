"""Whom judged words name as their source, in themselves or by what their page says (SPEC §13, one origin)."""

from lyra.evidence.institutions import institutions
from lyra.evidence.origins import origins
from lyra.evidence.speakers import speakers
from lyra.model.named_page import NamedPage


def sources_named(judged: str, quote: str, passage: str, page: NamedPage) -> tuple[str, ...]:
    """Keys of works, persons, agencies and institutions, each once.

    `quote` are those of the judged words that decided, `passage` is the fragment that they stand in.
    """
    named = (*origins(judged, passage), *speakers(quote, page), *institutions(quote, passage, page))
    return tuple(dict.fromkeys(named))
