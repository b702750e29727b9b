"""Part of L2: Japanese sentences that name an AI as the one who is to act, by their grammatical form.

What makes an order is how the sentence ends; whom it is for shows in the particle behind the name. `AIは…すること` and
`AIへ、…` speak to an AI, `AIを…してください` and `AIに…を入力しないでください` to people. The words are data
(`words/order_forms.ja.yaml`).
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from lyra.text import normalise

# How far before its end the verb of a sentence stands.
_VERB_CHARS = 8
_MARKS = r"\s。．.!！?？」』)）]*$"


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
    file = resources.files("lyra.security").joinpath("words/order_forms.ja.yaml")
    words = {name: _any(text) for name, text in yaml.safe_load(file.read_text("utf-8")).items()}
    name = rf"(?:{words['names']}|{words['reading']}(?:{words['names']}|{words['shared_names']}))(?:{words['titles']})?"
    shared = rf"(?:{words['shared_names']})(?:{words['titles']})?"
    cut = r"(?=[\s、,。:：!！]|$)"
    called = rf"(?:{name}|{shared})(?:{words['calls']}){cut}"
    return _Forms(
        address=re.compile(rf"{name}(?:{words['topics']})|{called}", re.IGNORECASE),
        call=re.compile(rf"(?:{name}|{shared})(?:{words['calls']})[{_MARKS}", re.IGNORECASE),
        ending=re.compile(rf"{words['endings']}(?:{words['tails']})?[{_MARKS}"),
        handling=re.compile(words["handling"]),
        task=re.compile(words["tasks"]),
        role=re.compile(
            rf"(?:{words['from_now']}.{{0,6}}{words['you']}は|{words['you']}は.{{0,6}}{words['from_now']})"
            rf".{{2,60}}(?:{words['roles']}[{_MARKS}|として)"
        ),
    )


def _any(text: str) -> str:
    """A pattern of any of the words, the longest first."""
    return f"(?:{'|'.join(map(re.escape, sorted(text.split(), key=len, reverse=True)))})"
