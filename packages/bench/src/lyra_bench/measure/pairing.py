"""Whether what decides is judged at all: of the planted pairs on pages that were read, those that the reader was given.

A pair is a sentence (or a table's row) of the truth file and the hypothesis that it supports or refutes. It counts as
judged when an edge to the hypothesis was made whose judged text holds the sentence. Where a pair was lost is told:
`not_extracted` (no fragment holds the sentence), `across_languages` (such pairs are never made), `not_paired`,
`outside_window` (the fragment was judged by another part of it).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.model.edge import JudgedText, PartRole
from lyra.research.assessing import fragments_read
from lyra.storage import edges, pages
from lyra.text import language_of
from lyra_bench.measure import measures
from lyra_bench.measure.evidence import main_texts, on_simulated_web, research
from lyra_bench.planted import Ground, plain
from simweb.truth import Truth, load_truth

if TYPE_CHECKING:
    from apsw import Connection

JUDGED = "judged"
LOST = ("not_extracted", "across_languages", "not_paired", "outside_window")
_OWN = (PartRole.DECIDING, PartRole.CONTEXT)
_BARS = re.compile(r"\s*\|\s*")


@dataclass(frozen=True, slots=True)
class TruePair:
    """A planted sentence on a page that was read, the hypothesis it speaks of, and what became of the two."""

    hypothesis: str
    language: str
    url: str
    quote: str
    is_table_row: bool
    fate: str


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page with the texts of its fragments, and for each hypothesis what the reader was given of each."""

    url: str
    work_id: str | None
    fragments: tuple[str, ...]
    judged: Mapping[str, Sequence[tuple[str, str]]]


async def measure_pairing(
    topic: str = "dpp4", *, queries: int | None = None, keep: Path | None = None
) -> dict[str, Any]:
    """Run the topic's queries with its hypotheses, and say which true pairs were judged, by language and kind."""
    truth = load_truth(topic)
    async with on_simulated_web(keep) as lyra:
        task_id, hypotheses, _ = await research(lyra, truth, queries)
        read = await lyra.db.read(_read_pages, task_id, hypotheses)
        judged = await lyra.db.read(edges.judged_pairs, task_id)
    pairs = true_pairs(truth, read, hypotheses, main_texts(topic))
    return {"topic": topic, **figures(pairs, judged, hypotheses)}


def figures(
    pairs: Iterable[TruePair], judged: Iterable[tuple[str, str]], hypotheses: Mapping[str, str]
) -> dict[str, Any]:
    """Recall by the language of the sentence and for table rows, where pairs were lost, and how many were judged."""
    known, own = list(pairs), frozenset(hypotheses.values())
    claims = [claim_id for _, claim_id in judged]
    lost = Counter(one.fate for one in known)
    return {
        "recall": {
            language: _share(one for one in known if one.language == language)
            for language in sorted({one.language for one in known})
        },
        "recall_of_table_rows": _share(one for one in known if one.is_table_row),
        "lost": {fate: lost[fate] for fate in LOST},
        "pairs_judged": len(claims),
        "pairs_with_hypotheses": sum(1 for one in claims if one in own),
        "missed": [f"{one.hypothesis} ({one.fate}): {one.quote}" for one in known if one.fate in LOST],
    }


def _share(pairs: Iterable[TruePair]) -> dict[str, Any]:
    found = list(pairs)
    share = measures.Share(sum(1 for one in found if one.fate == JUDGED), len(found))
    return {"value": share.value, "of": f"{share.part}/{share.whole}"}


def true_pairs(
    truth: Truth, read: Iterable[ReadPage], hypotheses: Mapping[str, str], texts: Mapping[str, str]
) -> list[TruePair]:
    """Every planted sentence and table row about a hypothesis that a page which was read holds, once for each page.

    `texts` are the main texts of the topic's pages by address, and of its papers' abstracts by work.
    """
    ground, asked = Ground(truth), next(iter(truth.queries))
    found: dict[tuple[str, str, str], TruePair] = {}
    for page in read:
        text = _bare(texts.get(page.url) or texts.get(page.work_id or "", ""))
        for name, quote, is_row in _planted(ground, page):
            if name in hypotheses and _bare(quote) in text:
                language = language_of(text) if is_row else language_of(quote)
                fate = _fate(page, name, quote, is_foreign=language != asked)
                found[name, page.url, quote] = TruePair(name, language, page.url, quote, is_row, fate)
    return list(found.values())


def _planted(ground: Ground, page: ReadPage) -> Iterator[tuple[str, str, bool]]:
    """Claim and words of what was planted on a page, and whether it is a table's row."""
    for claim, _, one in ground.at({"url": page.url, "work_id": page.work_id}):
        yield claim.id, one.quote, False
    for row in ground.truth.table_rows:
        if row.url == page.url:
            yield row.claim, row.quote, True


def _fate(page: ReadPage, name: str, quote: str, *, is_foreign: bool) -> str:
    wanted = _bare(quote)
    holders = {text for text in page.fragments if wanted in _bare(text)}
    if not holders:
        return "not_extracted"
    given = [judged for fragment, judged in page.judged.get(name, ()) if fragment in holders]
    if any(wanted in _bare(text) for text in given):
        return JUDGED
    if is_foreign:
        return "across_languages"
    return "outside_window" if given else "not_paired"


def _own_words(judged: JudgedText) -> str:
    """What the reader was given of the fragment itself, the cells of a table's row without the names of columns."""
    return " ".join(judged.text[one.start : one.end] for one in judged.parts if one.role in _OWN)


def _bare(text: str) -> str:
    """Without differences of white space, and a table's row without the bars between its cells."""
    return plain(_BARS.sub(" ", text))


def _read_pages(connection: "Connection", task_id: str, hypotheses: Mapping[str, str]) -> list[ReadPage]:
    names = {claim_id: name for name, claim_id in hypotheses.items()}
    fragments = {one.id: one for one in fragments_read(connection, task_id)}
    judged: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for edge in edges.of_task(connection, task_id):
        if edge.target_id in names and edge.judged_text is not None:
            given = (fragments[edge.source_id].text_content, _own_words(edge.judged_text))
            page_id = fragments[edge.source_id].page_id
            judged.setdefault(page_id, {}).setdefault(names[edge.target_id], []).append(given)
    known = {page_id: pages.get(connection, page_id) for page_id in {one.page_id for one in fragments.values()}}
    return [
        ReadPage(
            url=page.url,
            work_id=page.work_id,
            fragments=tuple(one.text_content for one in fragments.values() if one.page_id == page_id),
            judged=judged.get(page_id, {}),
        )
        for page_id, page in known.items()
        if page is not None
    ]
