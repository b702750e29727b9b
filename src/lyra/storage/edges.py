"""Edges of the Evidence Graph, and the rows from which claims are assessed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from apsw import Connection

from lyra.model.edge import AnswerProbabilities, Edge, EvidenceRow
from lyra.model.page import Identifier
from lyra.model.work import CREDITED, work_keys
from lyra.storage import derived, judged_texts
from lyra.storage.columns import ids_json, to_json
from lyra.storage.rows import Bindings, Table, nested, read
from lyra.text import shingles

_EDGES = Table("edges", Edge, {"probabilities": "nli_probabilities", **nested("answers", AnswerProbabilities)})
# A text counts once: near-duplicates share the hash of the first of them, exact copies share their own. A text with
# sentences of others is read together with these: hash, words and source of each.
_EVIDENCE = """
select e.target_id as "row.claim_id", e.source_id as "row.fragment_id", p.id as "row.page_id",
    p.domain as "row.domain", e.relation as "row.relation", e.nli_confidence as "row.nli_confidence",
    coalesce(e.source_trust_level, 'unverified') as "row.source_trust_level", p.work_id as "row.work_id",
    e.is_origin as "row.is_origin", f.text_hash as "row.duplicate_key",
    coalesce(nullif(p.final_url, ''), p.url) as "row.url", e.origins as "row.origins",
    e.no_vote as "row.no_vote", coalesce(p.is_corrected, 0) as "row.is_corrected",
    iif(p.work_id is null, (
        select json_group_array(distinct coalesce('work:' || nullif(t.work_id, ''), 'domain:' || t.domain))
        from edges x
        join pages t on t.id = x.target_id and (t.work_id is not null or t.domain <> p.domain)
        where x.source_id = p.id and x.relation = 'cites'
    ), '[]') as "row.cites", e.quote, original.text_hash as original,
    coalesce('work:' || nullif(home.work_id, ''), 'domain:' || home.domain) as original_source,
    iif(original.id is null, null, (
        select json_group_array(json_array(o.text_hash, o.text_content,
            coalesce('work:' || nullif(h.work_id, ''), 'domain:' || h.domain)))
        from contained_originals c
        join fragments o on o.id = c.original_id
        join pages h on h.id = o.page_id
        where c.fragment_id = f.id
    )) as contained, w.identifiers, w.authors, w.year
from edges e
join fragments f on f.id = e.source_id
join pages p on p.id = f.page_id
left join works w on w.id = p.work_id
left join fragments original on original.id = f.near_duplicate_of
left join pages home on home.id = original.page_id
"""
# The share of a quote's word 3-grams (characters in Japanese) that an original holds where the quote is taken from it:
# a word changed in a sentence of ten spoils three of eight.
_QUOTED_FROM = 0.5
_GRAM = 3


@dataclass(slots=True)  # not frozen: many are made, and none is kept
class _StoredEvidence:
    """A row of evidence with what its origins and the texts that it repeats follow from.

    `original` is the hash of the text that it goes by, `contained` has hash, words and source of every text in it.
    """

    row: EvidenceRow
    quote: str | None
    original: str | None
    original_source: str | None
    contained: tuple[tuple[str, str, str], ...] | None
    identifiers: tuple[Identifier, ...] | None
    authors: tuple[str, ...] | None
    year: int | None


def insert_many(connection: Connection, edges: Iterable[Edge]) -> int:
    """Add what is new; a pair that already has an edge keeps it. Returns the number of new rows."""
    entering = tuple(edges)
    added = 0
    for edge in entering:
        values = _EDGES.values(edge) | {"is_notice": edge.is_notice if edge.source_type == "fragment" else None}
        if edge.judged_text is not None:
            values["judged_text"] = judged_texts.to_column(edge.judged_text)
        names = ", ".join(values)
        connection.execute(
            f"""
            insert into edges ({names}, task_id, page_id, year)
            values ({", ".join(f":{name}" for name in values)},
                (select task_id from claims where :target_type = 'claim' and id = :target_id),
                (select page_id from fragments where :source_type = 'fragment' and id = :source_id),
                (select p.year from fragments f join pages p on p.id = f.page_id
                    where :source_type = 'fragment' and f.id = :source_id))
            on conflict do nothing
            """,
            values,
        )
        added += connection.changes()
    derived.edges_written(connection, [edge.id for edge in entering])
    return added


def mark_origins(connection: Connection, pairs: Iterable[tuple[str, str]]) -> None:
    """Pairs of fragment and claim that were judged before the claim was found stated there."""
    connection.executemany(
        """
        update edges
        set is_origin = 1
        where source_type = 'fragment' and source_id = ? and target_type = 'claim' and target_id = ? and is_origin = 0
        """,
        list(pairs),
    )


def of_task(connection: Connection, task_id: str) -> tuple[Edge, ...]:
    """The stance edges of all the task's claims."""
    return read(
        connection, Edge, f"select {_EDGES.columns()} from edges where task_id = ? order by target_id, id", (task_id,)
    )


def evidence_of_claims(connection: Connection, claim_ids: Iterable[str]) -> tuple[EvidenceRow, ...]:
    """What assessing these claims needs."""
    return _evidence(
        connection,
        _EVIDENCE
        + """
        where e.target_type = 'claim' and e.source_type = 'fragment'
            and e.target_id in (select value from json_each(?))
        order by e.target_id, e.source_id
        """,
        (ids_json(claim_ids),),
    )


def evidence_of_task(connection: Connection, task_id: str) -> tuple[EvidenceRow, ...]:
    """What assessing every claim of the task needs."""
    return _evidence(
        connection,
        _EVIDENCE + "where e.task_id = ? and e.source_type = 'fragment' order by e.target_id, e.source_id",
        (task_id,),
    )


def evidence_of_search(connection: Connection, search_id: str) -> tuple[EvidenceRow, ...]:
    """The edges of the useful fragments (SPEC §13: they gave a claim or a stance) of the pages that a search read."""
    return _evidence(
        connection,
        _EVIDENCE
        + """
        where e.source_type = 'fragment'
            and e.task_id = (select task_id from queries where id = :search_id)
            and e.page_id in (
                select page_id
                from serp_items
                where query_id = :search_id and page_id is not null and state in ('fetched', 'reused', 'abstract')
            )
            and (
                e.relation in ('supports', 'refutes')
                or exists (
                    select 1
                    from claim_mentions m
                    join claims c on c.id = m.claim_id
                    where m.fragment_id = e.source_id and c.task_id = e.task_id
                )
            )
        order by e.target_id, e.source_id
        """,
        {"search_id": search_id},
    )


def pages_without_origins(connection: Connection, task_id: str) -> tuple[str, ...]:
    """The pages with stances of the task of which nobody has looked for origins."""
    rows = connection.execute(
        """
        select distinct page_id
        from edges
        where task_id = ? and source_type = 'fragment' and origins is null
        order by page_id
        """,
        (task_id,),
    )
    return tuple(str(page_id) for (page_id,) in rows)


def without_origins(connection: Connection, task_id: str, page_id: str) -> tuple[tuple[str, str, str], ...]:
    """Id, judged words and whole text of the task's stances on a page of which nobody has looked for origins."""
    rows = connection.execute(
        """
        select e.id, coalesce(e.quote, f.text_content), f.text_content
        from edges e
        join fragments f on f.id = e.source_id
        where e.task_id = ? and e.page_id = ? and e.source_type = 'fragment' and e.origins is null
        order by e.id
        """,
        (task_id, page_id),
    )
    return tuple((str(edge_id), str(quote), str(text)) for edge_id, quote, text in rows)


def set_origins(connection: Connection, found: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Edges with what their words name as their source."""
    connection.executemany(
        "update edges set origins = ? where id = ?", [(to_json(tuple(origins)), edge_id) for edge_id, origins in found]
    )


def judged_pairs(connection: Connection, task_id: str) -> set[tuple[str, str]]:
    """Fragment and claim of every judgement in the task, so that none is made twice."""
    rows = connection.execute(
        "select source_id, target_id from edges where task_id = ? and source_type = 'fragment'", (task_id,)
    )
    return {(fragment_id, claim_id) for fragment_id, claim_id in rows}


def cites(connection: Connection, page_ids: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs (citing page, cited page) among these pages."""
    rows = connection.execute(
        """
        select source_id, target_id
        from edges
        where relation = 'cites'
            and source_id in (select value from json_each(:ids)) and target_id in (select value from json_each(:ids))
        order by source_id, target_id
        """,
        {"ids": ids_json(page_ids)},
    )
    return tuple((str(citing), str(cited)) for citing, cited in rows)


def _evidence(connection: Connection, sql: str, bindings: Bindings) -> tuple[EvidenceRow, ...]:
    return tuple(map(_with_origins, read(connection, _StoredEvidence, sql, bindings)))


def _with_origins(found: _StoredEvidence) -> EvidenceRow:
    """The row, by the texts that it repeats, and of a work with its other names and whom its words credit."""
    row = found.row
    changes: dict[str, Any] = {}
    if found.original is not None and (repeated := _repeated(found)):
        changes["duplicate_key"] = next(iter(repeated))
        changes["copied_from"] = tuple(dict.fromkeys(repeated.values()))
    if found.identifiers is not None:
        names = work_keys([(one.kind, one.value) for one in found.identifiers], found.authors or (), found.year)
        credited = [name for name in row.origins if name.startswith(CREDITED)]
        changes["origins"] = (*(name for name in names if name != f"work:{row.work_id}"), *credited)
    return replace(row, **changes) if changes else row


def _repeated(found: _StoredEvidence) -> dict[str, str]:
    """Hash and source of the texts that an edge repeats, the one that its text goes by first.

    Of a text with sentences of others, those from which the deciding words were taken: it may have been judged by words
    of its own.
    """
    if found.original is None or found.original_source is None:
        return {}
    if not found.contained:
        return {found.original: found.original_source}
    grams = shingles(found.quote or "", _GRAM)
    return {
        text_hash: source
        for text_hash, text, source in sorted(found.contained, key=lambda one: (one[0] != found.original, one[0]))
        if len(grams & shingles(text, _GRAM)) >= _QUOTED_FROM * len(grams)
    }
