"""Part of L2: Japanese sentences that name an AI as the one who is to act, by their grammatical form.

What makes an order is how the sentence ends; whom it is for shows in the particle behind the name. `AIは…すること` and
`AIへ、…` speak to an AI, `AIを…してください` and `AIに…を入力しないでください` to people. The words and
forms are data (`words/order_forms.ja.yaml`).
"""

import re
from dataclasses import dataclass, fields
from functools import cache

from lyra.text import normalise
from lyra.word_lists import word_lists

# How far before its end the verb of a sentence stands.
_VERB_CHARS = 8


@dataclass(frozen=True, slots=True)
class _Forms:
    address: re.Pattern[str]
    call: re.Pattern[str]
    ending: re.Pattern[str]
    handling: re.Pattern[str]
    task: re.Pattern[str]
    role: re.Pattern[str]


def speaks_to_ai(sentence: str, *, is_called: bool = False) -> bool:
    """Whether the sentence orders an AI to act, or to be another; `is_called`: the one before has called it."""
    forms, plain = _forms(), normalise(sentence).strip()
    if forms.role.search(plain):
        return True
    ending = forms.ending.search(plain)
    if ending is None or not (is_called or forms.address.search(plain)):
        return False
    return forms.handling.search(plain, max(0, ending.start() - _VERB_CHARS)) is None


def asks_for_work(sentence: str) -> bool:
    """Whether the sentence asks whoever reads it for work that an assistant does."""
    forms, plain = _forms(), normalise(sentence).strip()
    ending = forms.ending.search(plain)
    return ending is not None and forms.task.search(plain, max(0, ending.start() - _VERB_CHARS)) is not None


def ends_as_order(sentence: str) -> bool:
    """Whether the sentence ends as orders and requests do."""
    return _forms().ending.search(normalise(sentence).strip()) is not None


def calls_ai(sentence: str) -> bool:
    """Whether the sentence only calls an AI, and the next one says what for."""
    return _forms().call.search(normalise(sentence).strip()) is not None


@cache
def _forms() -> _Forms:
    lists = word_lists("lyra.security", "order_forms", "ja")
    return _Forms(**{field.name: lists.pattern(field.name) for field in fields(_Forms)})
