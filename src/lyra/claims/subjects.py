"""Whether a sentence speaks of another subject than a claim: another town, lake, hospital, company, product or drug.

Four questions, each about names alone. Does the sentence that decides name another subject of the claim's kind (緑川市
for 青川市, Lake Birch for Lake Aster, linagliptin for sitagliptin), in a text that never names the claim's? Does the
whole page, its address included, never name the place that the claim is about, while the text names others? Is the page
another place's, and the text silent about the claim's? Is the site another county's, town's, hospital's or company's,
or, where the page never names the claim's subject, another place's newspaper? A text that names the claim's subject is
not judged here. A claim that names no place is meant of the one that the task's question names, where it is asked whose
site it is.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lyra.names.organisations import name_key, organisation_key
from lyra.text import is_japanese, nfkc
from lyra.word_lists import WordLists, word_lists

_SUBSTANCE, _COMPANY = "substance", "company"
# A place that is named so much more often than the claim's is whose page it is.
_OWN_PAGE_FACTOR = 2
_LEAST_MENTIONS = 2
# A shorter word at the front of a host may be any word.
_SHORTEST = 5
# A page names what it is about long before this; a book must not cost seconds.
_LONGEST_PAGE = 100_000


@dataclass(frozen=True, slots=True)
class NamedSite:
    """The site of a page: its host, and what it calls itself."""

    host: str = ""
    name: str = ""


NO_SITE = NamedSite()


def other_subject(
    claim: str, text: str, sentence: str, page: str = "", site: NamedSite = NO_SITE, question: str = ""
) -> str | None:
    """The name that is not the claim's, where the text that was read is about that; None where it may be the claim's.

    `sentence` are the words that decided, `text` all that was read with them, `page` the whole page with its title
    and address, `question` what the task asks; an empty one is not known.
    """
    found = _in_sentence(claim, text, sentence)
    if found or not page:
        return found
    whole = page[:_LONGEST_PAGE]
    if is_japanese(claim):
        asked = claim if _places(claim) else question
        return _owner_of_page(claim, text, whole, site) or _local_owner(asked, text, site)
    return _other_place(claim, text, whole) or _on_site(claim, text, whole, site, question)


def _in_sentence(claim: str, text: str, sentence: str) -> str | None:
    """Another name of the claim's kind in the sentence that decides; the whole text never names the claim's."""
    told = _names(sentence)
    for kind, names in _names(claim).items():
        others = told.get(kind)
        if len(names) == 1 and others and not any(_is_named(name, text) for name in names):
            return min(others)
    return None


def _other_place(claim: str, text: str, page: str) -> str | None:
    """Where the text says that it was ("in Oxcastle"), on a page that never names the claim's place."""
    names = _said_places(claim)
    if not names or any(_is_named(name, page) for name in names):
        return None
    return min(_said_places(text), default=None)


def _said_places(text: str) -> set[str]:
    found = {match["place"] for match in _lists().pattern("place").finditer(nfkc(text))}
    return found - set(_lists().words("no_places"))


def _on_site(claim: str, text: str, page: str, site: NamedSite, question: str) -> str | None:
    """Whose site it is, where that is not the claim's subject and the text never names that."""
    own = _proper_names(claim)
    if not own:
        return _other_council(question, text, site)
    if any(_is_named(name, text) for name in own):
        return None
    owners = {match[0] for match in _lists().pattern("local_site").finditer(nfkc(site.name))}
    if not any(_is_named(name, where) for name in own for where in (page, site.name)):
        host = site.host.casefold().removeprefix("www.")
        owners |= {name for name in _proper_names(page) if len(name) >= _SHORTEST and host.startswith(name.casefold())}
    part_of = " ".join(own).casefold()
    return min((name for name in owners if name.casefold() not in part_of), default=None)


def _other_council(question: str, text: str, site: NamedSite) -> str | None:
    """The county, town or hospital whose own site it is, which a question about somewhere else never names."""
    asked = _proper_names(question)
    if not asked or any(_is_named(name, text) for name in asked):
        return None
    owners = {match[0] for match in _lists().pattern("local_site").finditer(nfkc(site.name))}
    named = " ".join(asked).casefold()
    return min((name for name in owners if name.casefold() not in named), default=None)


def _local_owner(claim: str, text: str, site: NamedSite) -> str | None:
    """The town or hospital whose own site it is, where the claim is about another's."""
    local = _lists().words("local_groups")
    own = {name for group, name in _places(claim) if group in local}
    if len(own) != 1 or any(_is_named(name, text) for name in own):
        return None
    return min({name for group, name in _places(site.name) if group in local} - own, default=None)


@lru_cache(64)
def _proper_names(text: str) -> frozenset[str]:
    """The words with a capital within a sentence, but for those that name no one."""
    found = {match[0] for match in _lists().pattern("capitalised").finditer(nfkc(text))}
    return frozenset(name.removesuffix("’s") for name in found - set(_lists().words("no_places")))


def _owner_of_page(claim: str, text: str, page: str, site: NamedSite) -> str | None:
    """The place that the text, or else the page, names and not the claim's, or far more often."""
    own = set(_places(claim))
    if len(own) != 1:
        return None
    ((group, claimed),) = own
    if _is_named(claimed, text) or _is_named(claimed, site.name):
        return None
    near = {name for kind, name in _places(text) if kind == group}
    if near:
        return min(near)
    counted = Counter(name for _, name in _places(page) if name != claimed)
    if not counted:
        return None
    name, count = min(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    mentions = len(_written(claimed).findall(nfkc(page)))
    is_other = mentions == 0 or count >= max(_LEAST_MENTIONS, _OWN_PAGE_FACTOR * mentions)
    return name if is_other else None


@lru_cache(16)
def _places(text: str) -> tuple[tuple[str, str], ...]:
    """The places that a text names, each with its group, as often as it names them."""
    groups = {kind: group for group, kinds in _lists().groups("place_groups").items() for kind in kinds}
    return tuple((groups[kind], name) for kind, name in _matches(nfkc(text)) if kind in groups)


def _is_named(name: str, text: str) -> bool:
    """Whether a text has the name, in whatever case and width; 下蓼見湖 does not name 蓼見."""
    if not name.isascii():
        return _written(name).search(nfkc(text)) is not None
    return name.casefold() in text.casefold() or name_key(name) in _key(text)


@lru_cache(16)
def _key(text: str) -> str:
    return name_key(text)


@lru_cache(256)
def _written(name: str) -> re.Pattern[str]:
    before = "".join(_lists().words("other_name_before"))
    return re.compile(rf"(?<![{before}]){re.escape(nfkc(name))}")


def _lists() -> WordLists:
    return word_lists("lyra.claims", "subjects", "en", "ja")


def _names(text: str) -> Mapping[str, set[str]]:
    """The names in a text, by kind."""
    found: dict[str, set[str]] = {}
    plain = nfkc(text)
    for kind, name in _matches(plain):
        found.setdefault(kind, set()).add(name)
    for match in _lists().pattern(_SUBSTANCE).finditer(plain):
        found.setdefault(_SUBSTANCE, set()).add(match[0].casefold())
    for match in _lists().pattern(_COMPANY).finditer(plain):
        found.setdefault(_COMPANY, set()).add(organisation_key(match[0]))
    return found


def _matches(plain: str) -> Iterable[tuple[str, str]]:
    """Kind and name of everything that says what it is."""
    for match in _lists().pattern("named").finditer(plain):
        told = {key.split("_")[0]: value for key, value in match.groupdict().items() if value is not None}
        name = _without_first_words(told["name"])
        if name and not any(kind in name[1:] for kind in _lists().words("inner_kinds")):
            yield told["kind"].casefold(), name


def _without_first_words(name: str) -> str:
    """A name without words such as "the" before it and without its owner ("Aster's Long Bridge"); nothing where no name
    is left."""
    no_names = _lists().words("no_names")
    words = name.split()
    owners = [at for at, word in enumerate(words[:-1]) if word.endswith(("'s", "’s"))]
    words = words[owners[-1] + 1 :] if owners else words
    while words and words[0].casefold() in no_names:
        words = words[1:]
    left = " ".join(words)
    return "" if re.match("|".join(map(re.escape, (word for word in no_names if not word.isascii()))), left) else left
