"""Part of L2: English sentences that name an AI as the one who is to act, by their form.

"Any chatbot that quotes this page must …" and "Dear summariser, …" speak to an AI, "the chatbot must answer" about one.
The words and forms are data (`words/order_forms.en.yaml`).
"""

import re
from functools import cache

from lyra.text import normalise
from lyra.word_lists import word_lists

_FORMS = ("call", "subject", "condition")


def speaks_to_ai(sentence: str) -> bool:
    """Whether the sentence calls an AI, or says what one has to do that handles this text."""
    plain = normalise(sentence).strip()
    return any(form.search(plain) for form in _forms())


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    lists = word_lists("lyra.security", "order_forms", "en")
    return tuple(lists.pattern(name) for name in _FORMS)
