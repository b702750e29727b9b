"""Whether a sentence speaks of another subject than a claim: another town, lake, hospital, company or drug.

Only names that say themselves what they name are compared: 緑川市 with 青川市, Lake Aster with Lake Birch, sitagliptin
with linagliptin, 株式会社ミドリ with アオバ㈱. A text that names the claim's subject anywhere, in whatever form, or
names none of its kind, is not judged here.
"""

import re
from collections.abc import Mapping

from lyra.names.organisations import name_key, organisation_key
from lyra.text import nfkc
from lyra.word_lists import WordLists, word_lists

_SUBSTANCE, _COMPANY = "substance", "company"


def other_subject(claim: str, text: str, sentence: str) -> str | None:
    """The name in the sentence that decides which is not the claim's, where the whole text never names the claim's."""
    whole = name_key(text)
    told = _names(sentence)
    for kind, names in _names(claim).items():
        others = told.get(kind)
        if len(names) == 1 and others and not any(name_key(name) in whole for name in names):
            return min(others)
    return None


def _lists() -> WordLists:
    return word_lists("lyra.claims", "subjects", "en", "ja")


def _names(text: str) -> Mapping[str, set[str]]:
    """The names in a text, by kind."""
    found: dict[str, set[str]] = {}
    plain = nfkc(text)
    for match in _lists().pattern("named").finditer(plain):
        told = {key.split("_")[0]: value for key, value in match.groupdict().items() if value is not None}
        name = _without_first_words(told["name"])
        if name:
            found.setdefault(told["kind"].casefold(), set()).add(name)
    for match in _lists().pattern(_SUBSTANCE).finditer(plain):
        found.setdefault(_SUBSTANCE, set()).add(match[0].casefold())
    for match in _lists().pattern(_COMPANY).finditer(plain):
        found.setdefault(_COMPANY, set()).add(organisation_key(match[0]))
    return found


def _without_first_words(name: str) -> str:
    """A name without words such as "the" before it; nothing where no name is left."""
    no_names = _lists().words("no_names")
    words = name.split()
    while words and words[0].casefold() in no_names:
        words = words[1:]
    left = " ".join(words)
    return "" if re.match("|".join(map(re.escape, (word for word in no_names if not word.isascii()))), left) else left
