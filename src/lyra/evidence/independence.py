"""Who speaks for themselves: independent sources behind a claim's evidence (SPEC §13), and one vote for one text."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from lyra.evidence.confidence import MISSING_SCORE
from lyra.model.edge import EvidenceRow, Relation

_STANCES = (Relation.SUPPORTS, Relation.REFUTES)
# On equal strength the doubt is kept rather than the agreement, and either rather than silence.
_PRECEDENCE = {Relation.NEUTRAL: 0, Relation.SUPPORTS: 1, Relation.REFUTES: 2}


class UnionFind:
    """Disjoint groups of names; the smallest name of a group stands for it, whatever the order of joining."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, name: str) -> str:
        """The name that stands for this one's group."""
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
            stands = min(roots)
            self._parent.update(dict.fromkeys(roots, stands))


@dataclass(frozen=True, slots=True)
class RowSource:
    """Whose words a row has: its own work or publisher, and the name that stands for all that count as one."""

    key: str
    stands: str


def source_key(row: EvidenceRow) -> str:
    """The canonical work where the page is one, otherwise the publisher by registrable domain."""
    return f"work:{row.work_id}" if row.work_id else f"domain:{row.domain}"


def text_key(row: EvidenceRow) -> str:
    """The text a row speaks with; near-duplicates share it."""
    return row.duplicate_key or row.fragment_id


def supporting_sources(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> frozenset[str]:
    """The independent sources that support the claim; their number is the claim's `independent_sources`.

    `joined_pages` are groups of page ids that count as one: near-duplicate pages, narrative clusters, citation loops.
    """
    groups = _groups(rows, joined_pages)
    return frozenset(groups.find(source_key(row)) for row in rows if row.relation is Relation.SUPPORTS)


def sources_of(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> list[RowSource]:
    """The source of each row, in the order given."""
    groups = _groups(rows, joined_pages)
    return [RowSource(source_key(row), groups.find(source_key(row))) for row in rows]


def one_vote_per_text(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The strongest edge of each distinct text."""
    strongest: dict[str, EvidenceRow] = {}
    for row in rows:
        if row.relation in _PRECEDENCE:
            _keep_stronger(strongest, text_key(row), row)
    return list(strongest.values())


def one_vote_per_source(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> list[EvidenceRow]:
    """The strongest edge of each independent source and relation."""
    groups = _groups(rows, joined_pages)
    strongest: dict[str, EvidenceRow] = {}
    for row in rows:
        if row.relation in _PRECEDENCE:
            _keep_stronger(strongest, f"{row.relation}\x1f{groups.find(source_key(row))}", row)
    return list(strongest.values())


def _groups(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]]) -> UnionFind:
    """Sources joined by a shared text, or by standing on pages that count as one."""
    groups = UnionFind()
    by_text: dict[str, set[str]] = {}
    by_page: dict[str, set[str]] = {}
    for row in rows:
        by_page.setdefault(row.page_id, set()).add(source_key(row))
        if row.relation in _STANCES:
            by_text.setdefault(text_key(row), set()).add(source_key(row))
    for sources in by_text.values():
        groups.join(sources)
    for pages in joined_pages:
        groups.join({source for page in pages for source in by_page.get(page, ())})
    return groups


def _keep_stronger(strongest: dict[str, EvidenceRow], key: str, row: EvidenceRow) -> None:
    if key not in strongest or _strength(row) > _strength(strongest[key]):
        strongest[key] = row


def _strength(row: EvidenceRow) -> tuple[bool, float, int, str]:
    """A stance before neutrality, then the probability; the id makes ties the same in every order."""
    score = MISSING_SCORE if row.nli_confidence is None else row.nli_confidence
    return row.relation in _STANCES, score, _PRECEDENCE[row.relation], row.fragment_id
