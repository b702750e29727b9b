"""Queries derived from the client's by fixed rules and word lists; each names its parent and the rule."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lyra import text
from lyra.model.search import Vertical
from lyra.search.query import Operator, Sign, is_plain_latin, parse_query, query_language
from lyra.word_lists import word_lists

OTHER_LANGUAGES = ("de", "fr", "zh")
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_LONGEST_TERM_WORDS = 6
_LEAST_SPLIT_CHARS = 6


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Terms in lower case on the left. `to_english` is keyed by Japanese, `to_japanese` and `to_others` by English.

    `english_spellings` are the English terms as they are written, `japanese_names` what Japanese calls a name that
    without its capital is another word (Apple). `japanese_senses` are what English words of many senses mean in
    queries, `english_suffixes` and `english_prefixes` what one character says as a part of a Japanese word.
    """

    to_english: Mapping[str, str]
    english_names: Mapping[str, tuple[str, ...]]
    to_japanese: Mapping[str, str]
    english_spellings: frozenset[str]
    japanese_names: Mapping[str, str]
    japanese_senses: Mapping[str, tuple[str, ...]]
    english_suffixes: Mapping[str, tuple[str, ...]]
    english_prefixes: Mapping[str, tuple[str, ...]]
    to_others: Mapping[str, Mapping[str, str]]
    synonyms: Mapping[str, Mapping[str, str]]


@cache
def lexicon() -> Lexicon:
    """The lists that come with Lyra, read once."""
    lists = word_lists("lyra.search", "bilingual", "ja")
    bilingual, names = lists.groups("english"), lists.groups("names")
    to_english, to_japanese = (word_lists("lyra.search", "senses", language) for language in ("ja", "en"))
    others = word_lists("lyra.search", "others", "en").groups("german_french_chinese")
    return Lexicon(
        to_english={term.lower(): said[0] for term, said in bilingual.items()},
        english_names={
            term.lower(): tuple(said) for term, said in {**names, **to_english.groups("english"), **bilingual}.items()
        },
        # The first Japanese term listed for an English name is its mirror.
        to_japanese={name.lower(): term for term, said in reversed([*bilingual.items()]) for name in reversed(said)},
        english_spellings=frozenset(name for said in bilingual.values() for name in said),
        japanese_names={name: term for term, said in reversed([*names.items()]) for name in reversed(said)},
        japanese_senses={**to_japanese.groups("japanese"), **to_japanese.groups("phrases")},
        english_suffixes=to_english.groups("suffixes"),
        english_prefixes=to_english.groups("prefixes"),
        to_others={
            language: {term.lower(): said[place] for term, said in others.items()}
            for place, language in enumerate(OTHER_LANGUAGES)
        },
        synonyms={language: dict(_synonyms(language)) for language in ("en", "ja")},
    )


def words_of(text: str) -> list[str]:
    """Runs of letters and digits, hyphens within them kept."""
    return _WORD.findall(text)


def english_terms(query: str, terms: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """The query cut into known terms and single words, longest terms first: pairs of the words and what they map to."""
    words = words_of(query)
    cut: list[tuple[str, str | None]] = []
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_TERM_WORDS, len(words) - place), 0, -1):
            piece = " ".join(words[place : place + size])
            if found := _known(piece.lower(), terms):
                break
        else:
            piece, found = words[place], None
        cut.append((piece, found))
        place += len(piece.split(" "))
    return cut


def japanese_terms(query: str, terms: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """The query cut at known terms, longest first; what is between them is kept."""
    known = sorted((term for term in terms if term in query.lower()), key=len, reverse=True)
    if not known:
        return [(query, None)]
    pattern = re.compile("|".join(map(re.escape, known)), re.IGNORECASE)
    cut: list[tuple[str, str | None]] = []
    place = 0
    for match in pattern.finditer(query):
        cut += [(query[place : match.start()], None)] if query[place : match.start()].strip() else []
        cut.append((match.group(), terms.get(match.group().lower())))
        place = match.end()
    return cut + ([(query[place:], None)] if query[place:].strip() else [])


def _known(piece: str, terms: Mapping[str, str]) -> str | None:
    """What a term maps to, in the singular too."""
    return terms.get(piece) or (terms.get(piece[:-1]) if piece.endswith("s") else None)


def _synonyms(language: str) -> Iterable[tuple[str, str]]:
    """Each name with the one that replaces it: the first of its group, for the first itself the second."""
    for first, others in word_lists("lyra.search", "synonyms", language).groups("synonyms").items():
        yield first.lower(), others[0]
        yield from ((name.lower(), first) for name in others)


def vertical_templates(vertical: Vertical, language: str) -> tuple[str, ...]:
    """The queries of a vertical, `{query}` standing for the client's."""
    return tuple(_verticals_file()[vertical][language])


def vertical_sites(vertical: Vertical, languages: Collection[str | None]) -> tuple[str, ...]:
    """Hosts that answer in one of these languages and that a vertical searches through their own form, where the
    allow-list has them."""
    found = (
        host
        for language, hosts in _verticals_file()[vertical]["sites"].items()
        if language in languages
        for host in hosts
    )
    return tuple(dict.fromkeys(found))


@cache
def _verticals_file() -> Mapping[str, Mapping[str, Any]]:
    import yaml  # lazy: only searches that name a vertical need it

    source = files("lyra.search").joinpath("verticals.yaml").read_text(encoding="utf-8")
    loaded: Mapping[str, Mapping[str, Any]] = yaml.safe_load(source)
    return loaded


@dataclass(frozen=True, slots=True)
class DerivedQuery:
    """A query as sent; `parent` is the client's query it came from, `rule` how, `page` which page of the answer."""

    text: str
    parent: str
    rule: str
    page: int = 1

    @property
    def family(self) -> str:
        """The rule without what it was applied to: what is learnt about it holds for the next query."""
        name, _, rest = self.rule.partition(":")
        return self.rule if name == "mirror" else name if rest else self.rule


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What a search asks: `asked` whatever it brings, `branches` only as far as they bring something new."""

    asked: tuple[DerivedQuery, ...]
    branches: tuple[DerivedQuery, ...] = ()


def plan_queries(
    query: str,
    *,
    refute: bool = False,
    seek_primary: bool = False,
    vertical: Vertical | None = None,
    sites: tuple[str, ...] = (),
) -> QueryPlan:
    """The client's query and what his options ask for, then what the rules make of the query.

    A query with operators says exactly what is wanted and gets no branches.
    """
    asked = [DerivedQuery(query, query, "asked")]
    asked += refutations(query) if refute else ()
    if vertical is not None:
        templates = vertical_templates(vertical, word_list_language(query))
        asked += [DerivedQuery(one.replace("{query}", query), query, f"vertical:{vertical}") for one in templates]
    if "site:" not in query:
        asked += _primary(query) if seek_primary else ()
        asked += [DerivedQuery(f"{query} site:{site}", query, f"site:{site}") for site in sites]
    if has_operators(query):
        return QueryPlan(tuple(asked))
    found: dict[str, DerivedQuery] = {}
    for one in _branches(query):
        found.setdefault(one.text.casefold(), one)
    known = {one.text.casefold() for one in asked}
    return QueryPlan(tuple(asked), tuple(one for key, one in found.items() if key not in known))


def _branches(query: str) -> Iterator[DerivedQuery]:
    yield from keyword_form(query)
    yield from mirrors(query)
    yield from synonyms(query)
    yield from normal_forms(query)
    yield from phrases(query)


def _words(language: str, name: str) -> tuple[str, ...]:
    return word_lists("lyra.search", "queries", language).words(name)


def word_list_language(query: str) -> str:
    """The language whose word lists serve a query: there are two, and English ones serve all but Japanese."""
    return "ja" if query_language(query) == "ja" else "en"


def refutations(query: str) -> tuple[DerivedQuery, ...]:
    """The query with each fixed suffix of its language that it does not have already."""
    suffixes = _words(word_list_language(query), "refutation_suffixes")
    folded = query.casefold()
    return tuple(DerivedQuery(f"{query} {word}", query, f"refute:{word}") for word in suffixes if word not in folded)


def keyword_form(query: str) -> tuple[DerivedQuery, ...]:
    """A Japanese sentence as the content words between its particles, which engines match better."""
    if not text.is_japanese(query) or '"' in query or ":" in query:
        return ()
    words = _content_runs(query)
    form = " ".join(words)
    return (DerivedQuery(form, query, "keywords"),) if len(words) > 1 and form != query else ()


def mirrors(query: str) -> tuple[DerivedQuery, ...]:
    """The query in the other languages its words are listed in: ja⇄en, and from English a few in de, fr and zh."""
    language = query_language(query)
    if language == "ja":
        return _mirror(query, "en", _japanese_words(query))
    if not is_plain_latin(query):
        return ()
    lists = lexicon()
    found = _mirror(query, "ja", english_terms(query, lists.to_japanese))
    for other in OTHER_LANGUAGES:
        found += _mirror(query, other, english_terms(query, lists.to_others[other]))
    return found


def synonyms(query: str) -> tuple[DerivedQuery, ...]:
    """The query with its first known term replaced by another name of the same thing."""
    known = lexicon().synonyms[word_list_language(query)]
    cut = japanese_terms(query, known) if query_language(query) == "ja" else english_terms(query, known)
    for piece, other in cut:
        # A name that holds the other, such as うっ血性心不全 for 心不全, would be found in itself.
        if other is not None and other.casefold() not in query.casefold():
            return (DerivedQuery(_with_synonym(query, piece, other), query, f"synonym:{piece}→{other}"),)
    return ()


def normal_forms(query: str) -> tuple[DerivedQuery, ...]:
    """Japanese words in their normal spelling (引越し → 引っ越し), and long compounds taken apart."""
    if query_language(query) != "ja" or not text.has_dictionary():
        return ()
    spelled, split = query, query
    for start, end, normal in reversed(list(text.located_tokens(query))):
        if normal != query[start:end].lower() and query_language(query[start:end]) == "ja":
            spelled = f"{spelled[:start]}{normal}{spelled[end:]}"
    for run in _content_runs(query):
        parts = [run[start:end] for start, end, _ in text.located_tokens(run)]
        if len(run) >= _LEAST_SPLIT_CHARS and len(parts) > 1:
            split = split.replace(run, " ".join(parts), 1)
    found = ((spelled, "normal-form"), (split, "split"))
    return tuple(DerivedQuery(form, query, rule) for form, rule in found if form != query)


def phrases(query: str) -> tuple[DerivedQuery, ...]:
    """The first term of several words that a list knows, held together by quotes."""
    if not is_plain_latin(query):
        return ()
    lists = lexicon()
    for piece, _ in english_terms(query, {**lists.to_japanese, **lists.synonyms["en"]}):
        if " " in piece and piece in query:
            return (DerivedQuery(query.replace(piece, f'"{piece}"', 1), query, f"phrase:{piece}"),)
    return ()


def _primary(query: str) -> tuple[DerivedQuery, ...]:
    sites = _words(word_list_language(query), "primary_sites")
    return tuple(DerivedQuery(f"{query} site:{site}", query, f"primary:{site}") for site in sites)


def _mirror(query: str, language: str, cut: list[tuple[str, str | None]]) -> tuple[DerivedQuery, ...]:
    """The translated terms in order, names kept; none where a content word is not known: it would ask another thing."""
    words: list[str] = []
    translated = 0
    small_words = _words("en", "small_words")
    for piece, other in cut:
        if piece.lower() in small_words:
            continue
        if other is not None or _is_kept_as_name(piece, language):
            words.append(other or piece)
            translated += other is not None
        else:
            return ()
    if not translated:
        return ()
    return (DerivedQuery(" ".join(dict.fromkeys(words)), query, f"mirror:{language}"),)


def _japanese_words(query: str) -> list[tuple[str, str | None]]:
    """Known terms with their English, the other content words one by one."""
    cut: list[tuple[str, str | None]] = []
    for piece, other in japanese_terms(query, lexicon().to_english):
        cut += [(piece, other)] if other else [(run, None) for run in _content_runs(piece)]
    return cut


def _is_kept_as_name(word: str, language: str) -> bool:
    """Words that the other language writes alike: with a capital or a digit, or long and learned in Latin script."""
    is_learned = len(word) >= 9 and language not in ("ja", "zh")
    return word.isascii() and (any(c.isdigit() or c.isupper() for c in word) or is_learned)


def _content_runs(query: str) -> list[str]:
    """The content words, those that touch joined."""
    words: list[str] = []
    empty_words = _words("ja", "empty_words")
    previous_end = -1
    for start, end, _ in text.located_tokens(query):
        word = query[start:end]
        if word in empty_words:
            continue
        if start <= previous_end:
            words[-1] += query[previous_end:end]
        else:
            words.append(word)
        previous_end = end
    return words


def _with_synonym(query: str, piece: str, other: str) -> str:
    start = query.casefold().find(piece.casefold())
    return f"{query[:start]}{other}{query[start + len(piece) :]}" if start >= 0 else f"{query} {other}"


def has_operators(query: str) -> bool:
    """Whether a query says exactly what is wanted: operators, signs, or no word at all."""
    parts = parse_query(query)
    return any(part.operator is not Operator.WORD or part.sign is not Sign.NONE for part in parts) or not words_of(
        query
    )
