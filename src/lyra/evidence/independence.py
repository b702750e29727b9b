"""Which edges may vote, and the independent sources behind a claim's evidence (SPEC §13).

Every edge has origins that could account for it: its own work or publisher, or, of a copy, that of the original; what
its words name (a study, a person, an agency, an institution); the groups of pages that count as one. The sources of a
claim are the fewest origins that account for all its edges. So two papers that one farm copies stay two, and their
copies add nobody.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lyra.evidence.own_domains import is_own_domain
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.work import CREDITED, OWN_PAGE, SITE_ENDING

# The probability of an edge that has none.
MISSING_SCORE = 0.5
_STANCES = (Relation.SUPPORTS, Relation.REFUTES)
# Of equally strong edges of a source a refutation is kept before a support, and either before a neutral edge.
_PRECEDENCE = {Relation.NEUTRAL: 0, Relation.SUPPORTS: 1, Relation.REFUTES: 2}


class UnionFind:
    """Disjoint groups of names; the smallest name of a group names it, whatever the order of joining."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, name: str) -> str:
        """The name of this one's group."""
        root = name
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        while (parent := self._parent.get(name, name)) != root:
            self._parent[name], name = root, parent
        return root

    def join(self, names: Iterable[str]) -> None:
        """Make one group of all these names."""
        roots = {self.find(name) for name in names}
        if roots:
            smallest = min(roots)
            self._parent.update(dict.fromkeys(roots, smallest))


@dataclass(frozen=True, slots=True)
class RowSource:
    """Whose words a row has: its own work or publisher (`key`), and the name of the independent source (`group`)."""

    key: str
    group: str


@dataclass(frozen=True, slots=True)
class Votes:
    """The rows that may vote, of them the one that each independent source has for a relation (`strongest`), and the
    names of the sources that support the claim."""

    voters: tuple[EvidenceRow, ...]
    strongest: tuple[EvidenceRow, ...]
    supporters: frozenset[str]


def source_key(row: EvidenceRow) -> str:
    """The canonical work where the page is one, otherwise the publisher by registrable domain."""
    return f"work:{row.work_id}" if row.work_id else f"domain:{row.domain}"


def text_key(row: EvidenceRow) -> str:
    """The text a row speaks with; copies share it."""
    return row.duplicate_key or row.fragment_id


def eligible_rows(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that nothing keeps from voting."""
    return [row for row in rows if not row.no_vote and row.relation in _PRECEDENCE]


def voting_rows(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that vote: of a page that speaks for and against, only its stronger side, and with it its copies.

    Two sentences of one page are no contradiction between sources (SPEC §1 decision 4).
    """
    allowed = eligible_rows(rows)
    owners = _owners(allowed)
    stances = [row for row in allowed if row.relation in _STANCES]
    by_owner = {_statement_key(row) for row in stances if source_key(row) in owners[_statement_key(row)]}
    voters = [
        row for row in stances if source_key(row) in owners[_statement_key(row)] or _statement_key(row) not in by_owner
    ]
    side: dict[str, EvidenceRow] = {}
    for row in voters:
        _keep_stronger(side, row.page_id, row)
    kept = {_statement_key(row) for row in voters if row.relation is side[row.page_id].relation}
    return [row for row in allowed if row.relation not in _STANCES or _statement_key(row) in kept]


def supporting_sources(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> frozenset[str]:
    """The independent sources that support the claim; their number is the claim's `independent_sources`."""
    return one_vote_per_source(rows, joined_pages).supporters


def one_vote_per_text(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The strongest edge of each distinct text, of those that may vote."""
    strongest: dict[str, EvidenceRow] = {}
    for row in eligible_rows(rows):
        _keep_stronger(strongest, text_key(row), row)
    return list(strongest.values())


def one_vote_per_source(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> Votes:
    """The strongest voting edge of each independent source and relation, and who supports the claim.

    `joined_pages` are groups of page ids that count as one: stories told in one wording, citation loops.
    """
    voters = voting_rows(rows)
    strongest: dict[str, EvidenceRow] = {}
    supporters: set[str] = set()
    for row, source in zip(voters, sources_of(voters, joined_pages), strict=True):
        _keep_stronger(strongest, f"{row.relation}\x1f{source.group}", row)
        if row.relation is Relation.SUPPORTS:
            supporters.add(source.group)
    return Votes(tuple(voters), tuple(strongest.values()), frozenset(supporters))


def sources_of(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> list[RowSource]:
    """The source of each row, in the order given; rows without a vote are given one too, and shape no other's."""
    voters = voting_rows(rows)
    origins = _origins(rows, _owners(voters), joined_pages)
    own = {source_key(row) for row in rows} | {key for row in rows for key in row.copied_from}
    with_stance = {id(row) for row in voters if row.relation in _STANCES}
    first = _fewest_origins([one for row, one in zip(rows, origins, strict=True) if id(row) in with_stance], {}, own)
    chosen = _fewest_origins(origins, first, own)
    # What words name is more precise than where they are published.
    keys = [min(one & chosen.keys(), key=lambda key: (key in own, chosen[key])) for one in origins]
    names = _names(rows, keys, own)
    return [RowSource(source_key(row), names[key]) for row, key in zip(rows, keys, strict=True)]


def _origins(
    rows: Sequence[EvidenceRow],
    owners: Mapping[tuple[str, Relation], frozenset[str]],
    joined_pages: Iterable[Collection[str]],
) -> list[frozenset[str]]:
    """For each row, all that could account for it."""
    groups: dict[str, set[str]] = {}
    for pages in joined_pages:
        for page_id in pages:
            groups.setdefault(page_id, set()).add(f"pages:{min(pages)}:{len(pages)}")
    works, retold, credited = _works(rows), _retold_sources(rows), credited_sources(rows)
    return [
        own.union(
            *(works.get(name, (name,)) for name in row.origins if _is_named_source(name, row)),
            *(retold[row.relation].get(key, ()) for key in (*own, *institutions)),
            institutions,
            groups.get(row.page_id, ()),
        )
        for row in rows
        for own in (owners.get(_statement_key(row), frozenset(row.copied_from or {source_key(row)})),)
        for institutions in (_credited(row, credited),)
    ]


def _is_named_source(name: str, row: EvidenceRow) -> bool:
    """Whether a name among a row's origins is of a work, a person or an agency that the row has its words from."""
    return not row.work_id and not name.startswith((CREDITED, OWN_PAGE, SITE_ENDING))


def _credited(row: EvidenceRow, credited: Mapping[tuple[Relation, str], set[str]]) -> frozenset[str]:
    """What stands for the institution that a row credits: its pages that take the same side, or else its name."""
    named = [name for name in row.origins if name.startswith(CREDITED)]
    read = {key for name in named for key in credited.get((row.relation, name), ())}
    return frozenset(read or named)


def credited_sources(rows: Sequence[EvidenceRow]) -> Mapping[tuple[Relation, str], set[str]]:
    """By side and by key, the sources that are pages of an institution that some row credits."""
    credited = {name.removeprefix(CREDITED) for row in rows for name in row.origins if name.startswith(CREDITED)}
    endings = _only_endings(rows)
    found: dict[tuple[Relation, str], set[str]] = {}
    for row in rows if credited else ():
        own = {name.removeprefix(OWN_PAGE) for name in row.origins if name.startswith(OWN_PAGE)}
        own |= {name.removeprefix(SITE_ENDING) for name in row.origins if name in endings}
        for name in credited:
            if not row.work_id and (name in own or is_own_domain(name, row.domain)):
                found.setdefault((row.relation, f"{CREDITED}{name}"), set()).add(source_key(row))
    return found


def _only_endings(rows: Iterable[EvidenceRow]) -> set[str]:
    """The last words of names of sites by which one source alone among the rows can be meant."""
    named: dict[str, set[str]] = {}
    for row in rows:
        for name in row.origins:
            if name.startswith(SITE_ENDING):
                named.setdefault(name, set()).add(source_key(row))
    return {name for name, sources in named.items() if len(sources) == 1}


def _retold_sources(rows: Sequence[EvidenceRow]) -> Mapping[Relation, Mapping[str, set[str]]]:
    """By side, the sources that only retell another, with that one: a page of theirs links to it alone.

    So a wire story about a study, and with it all its reprints, can be accounted for by the study.
    """
    cited = _cited(rows)
    found: dict[Relation, dict[str, set[str]]] = {relation: {} for relation in Relation}
    for row in rows:
        if len(row.cites) == 1 and row.cites[0] in cited[row.relation]:
            found[row.relation].setdefault(source_key(row), set()).add(row.cites[0])
    return found


def _cited(rows: Iterable[EvidenceRow]) -> Mapping[Relation, set[str]]:
    """The sources that a page which links to them alone has its words from, by the side that it takes: those that take
    the same, and those that corrected it. A page with several references surveys them, and speaks for itself."""
    found: dict[Relation, set[str]] = {relation: set() for relation in Relation}
    for row in rows:
        if row.is_corrected:
            for relation in _STANCES:
                found[relation].add(source_key(row))
        if row.relation in _STANCES:
            found[row.relation].add(source_key(row))
    return found


def _works(rows: Iterable[EvidenceRow]) -> Mapping[str, set[str]]:
    """The works among the rows by all that texts may call them; two may share a name (author and year)."""
    works: dict[str, set[str]] = {}
    for row in rows:
        for name in (source_key(row), *row.origins) if row.work_id else ():
            works.setdefault(name, set()).add(source_key(row))
    return works


def _owners(rows: Sequence[EvidenceRow]) -> dict[tuple[str, Relation], frozenset[str]]:
    """Who answers for each text, by what it was judged to say: its original's source, of which there may be several.

    Where several say the same in the same words and none is known to be the copy, a work comes before a publisher, then
    the name decides. What says the opposite of the text that it copies (a denial that quotes) answers for itself.
    """
    own = [row for row in rows if not row.copied_from]
    with_stance = {text_key(row) for row in own if row.relation in _STANCES}
    agreed = {(source_key(row), row.relation) for row in own}
    keys: dict[tuple[str, Relation], set[str]] = {}
    for row in own:
        keys.setdefault(_statement_key(row), set()).add(source_key(row))
    of_originals = {statement: frozenset({min(found, key=_rank)}) for statement, found in keys.items()}
    of_copies: dict[tuple[str, Relation], frozenset[str]] = {}
    for row in rows:
        if row.copied_from and _statement_key(row) not in of_originals:
            is_denial = text_key(row) in with_stance and not any(
                (key, row.relation) in agreed for key in row.copied_from
            )
            found = {source_key(row)} if is_denial and row.relation in _STANCES else set(row.copied_from)
            of_copies[_statement_key(row)] = of_copies.get(_statement_key(row), frozenset()) | found
    return of_originals | of_copies


def _statement_key(row: EvidenceRow) -> tuple[str, Relation]:
    return text_key(row), row.relation


def _rank(key: str) -> tuple[bool, str]:
    return key.startswith("domain:"), key


def _fewest_origins(sets: Iterable[frozenset[str]], chosen: Mapping[str, int], own: Collection[str]) -> dict[str, int]:
    """The origins chosen before, and as few more as account for every set, with their places in the order of choice.

    Greedy, which is exact where no edge has more than one origin to choose from. Equal sets count once, so that copies
    have no weight; of equally good origins a work or publisher is taken, then the first by name.
    """
    found = dict(chosen)
    left = {one for one in sets if not one & found.keys()}
    for key in sorted(key for one in left if len(one) == 1 for key in one):
        found.setdefault(key, len(found))
    while left := {one for one in left if not one & found.keys()}:
        counted = Counter(key for one in left for key in one)
        best = min(counted, key=lambda key: (-counted[key], key not in own, key))
        found[best] = len(found)
    return found


def _names(rows: Sequence[EvidenceRow], keys: Sequence[str], own: Collection[str]) -> dict[str, str]:
    """A name for each origin in use: its own where it is a work or publisher, else the first of its members' names
    that no other source has, else its own after all."""
    members: dict[str, set[str]] = {}
    for row, key in zip(rows, keys, strict=True):
        members.setdefault(key, set()).add(source_key(row))
    names = {key: key for key in members if key in own}
    for key in sorted(members.keys() - names.keys()):
        free = sorted(members[key] - set(names.values()))
        names[key] = free[0] if free else key
    return names


def _keep_stronger(strongest: dict[str, EvidenceRow], key: str, row: EvidenceRow) -> None:
    if key not in strongest or _strength(row) > _strength(strongest[key]):
        strongest[key] = row


def _strength(row: EvidenceRow) -> tuple[bool, float, int, str]:
    """A stance before neutrality, then the probability; the id makes ties the same in every order."""
    score = MISSING_SCORE if row.nli_confidence is None else row.nli_confidence
    return row.relation in _STANCES, score, _PRECEDENCE[row.relation], row.fragment_id
