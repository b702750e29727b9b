"""Queries derived from the client's by fixed, mechanical rules; each names its parent and the rule."""

import re
from dataclasses import dataclass

from lyra import text

# Kanji alone make a query Japanese: two nouns side by side have no kana.
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
# Words in kana that Sudachi counts as content but that say nothing to an engine; がん, うつ and めまい do.
_EMPTY_WORDS = frozenset(
    "よる よっ つい おけ おい とっ かんし する し ある なる いる でき できる こと もの ため ところ どう なぜ ない いう "
    "これ それ どの この その どれ など ください".split()
)

# SPEC §3 (refute mode) and §3.1.7 of the requirements; nothing is invented beyond these words.
REFUTATION_SUFFIXES = {
    "ja": ("課題", "批判", "問題点", "反論", "誤り"),
    "en": ("limitations", "criticism", "problems", "rebuttal", "misconceptions"),
}


@dataclass(frozen=True, slots=True)
class Derived:
    """A query as sent; `parent` is the client's query it came from, `rule` how."""

    text: str
    parent: str
    rule: str


def derive(query: str, *, refute: bool = False) -> tuple[Derived, ...]:
    """The client's query first, then what the rules make of it."""
    asked = Derived(query, query, "asked")
    return (asked, *keyword_form(query), *(refutations(query) if refute else ()))


def refutations(query: str) -> tuple[Derived, ...]:
    """The query with each fixed suffix of its language that it does not have already."""
    suffixes = REFUTATION_SUFFIXES["ja" if _JAPANESE.search(query) else "en"]
    folded = query.casefold()
    return tuple(Derived(f"{query} {word}", query, f"refute:{word}") for word in suffixes if word not in folded)


def keyword_form(query: str) -> tuple[Derived, ...]:
    """A Japanese sentence as the content words between its particles, which engines match better."""
    if not text.is_japanese(query) or '"' in query or ":" in query:
        return ()
    words: list[str] = []
    previous_end = -1
    for start, end, _ in text.located_tokens(query):
        word = query[start:end]
        if word in _EMPTY_WORDS:
            continue
        if start == previous_end:
            words[-1] += word
        else:
            words.append(word)
        previous_end = end
    form = " ".join(words)
    return (Derived(form, query, "keywords"),) if len(words) > 1 and form != query else ()
