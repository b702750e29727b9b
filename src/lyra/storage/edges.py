"""Edges of the Evidence Graph, and the rows from which claims are assessed."""

import json
from collections.abc import Iterable
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.edge import AnswerProbabilities, Edge, EvidenceRow, Relation
from lyra.model.trust import TrustLevel
from lyra.model.work import work_keys
from lyra.storage import derived, judged_texts
from lyra.storage.columns import ids_json, level_or_none, moment, strings, to_json
from lyra.text import shingles

_SELECT = """
select id, source_type, source_id, target_type, target_id, relation, created_at, nli_label, nli_confidence, nli_raw,
    model_id, calibration_version, source_trust_level, target_trust_level, is_origin, quote, cause_id,
    nli_probabilities, citation_source, is_influential, rule, reader, bears_raw, side_raw, bears, side, origins,
    is_notice, judged_text
from edges
"""
# A text counts once: near-duplicates share the hash of the first of them, exact copies share their own. A text with
# sentences of others is read together with these: hash, words and source of each.
_EVIDENCE = """
select e.target_id, e.source_id, p.id, p.domain, e.relation, e.nli_confidence, e.source_trust_level, p.work_id,
    e.is_origin, f.text_hash, coalesce(nullif(p.final_url, ''), p.url), e.quote, original.text_hash,
    coalesce('work:' || nullif(home.work_id, ''), 'domain:' || home.domain),
    iif(original.id is null, null, (
        select json_group_array(json_array(o.text_hash, o.text_content,
            coalesce('work:' || nullif(h.work_id, ''), 'domain:' || h.domain)))
        from contained_originals c
        join fragments o on o.id = c.original_id
        join pages h on h.id = o.page_id
        where c.fragment_id = f.id
    )), e.origins, w.identifiers, w.authors, w.year, e.no_vote
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


def insert_many(connection: Connection, edges: Iterable[Edge]) -> int:
    """Add what is new; a pair that already has an edge keeps it. Returns the number of new rows."""
    added = 0
    entering = tuple(edges)
    for edge in entering:
        connection.execute(
            """
            insert into edges (id, source_type, source_id, target_type, target_id, relation, task_id, page_id,
                year, nli_label, nli_confidence, nli_raw, nli_probabilities, model_id, calibration_version,
                source_trust_level, target_trust_level, is_origin, quote, cause_id, citation_source,
                is_influential, rule, reader, bears_raw, side_raw, bears, side, origins, is_notice, judged_text,
                created_at)
            values (:id, :source_type, :source_id, :target_type, :target_id, :relation,
                (select task_id from claims where :target_type = 'claim' and id = :target_id),
                (select page_id from fragments where :source_type = 'fragment' and id = :source_id),
                (select p.year from fragments f join pages p on p.id = f.page_id
                    where :source_type = 'fragment' and f.id = :source_id),
                :nli_label, :nli_confidence, :nli_raw, :nli_probabilities, :model_id, :calibration_version,
                :source_trust_level, :target_trust_level, :is_origin, :quote, :cause_id, :citation_source,
                :is_influential, :rule, :reader, :bears_raw, :side_raw, :bears, :side, :origins, :is_notice,
                :judged_text, :created_at)
            on conflict do nothing
            """,
            _values(edge),
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
    rows = connection.execute(_SELECT + "where task_id = ? order by target_id, id", (task_id,))
    return tuple(_edge(row) for row in rows)


def evidence_of_claims(connection: Connection, claim_ids: Iterable[str]) -> tuple[EvidenceRow, ...]:
    """What assessing these claims needs."""
    rows = connection.execute(
        _EVIDENCE
        + """
        where e.target_type = 'claim' and e.source_type = 'fragment'
            and e.target_id in (select value from json_each(?))
        order by e.target_id, e.source_id
        """,
        (ids_json(claim_ids),),
    )
    return tuple(_evidence(row) for row in rows)


def evidence_of_task(connection: Connection, task_id: str) -> tuple[EvidenceRow, ...]:
    """What assessing every claim of the task needs."""
    rows = connection.execute(
        _EVIDENCE + "where e.task_id = ? and e.source_type = 'fragment' order by e.target_id, e.source_id", (task_id,)
    )
    return tuple(_evidence(row) for row in rows)


def evidence_of_search(connection: Connection, search_id: str) -> tuple[EvidenceRow, ...]:
    """The edges of the useful fragments (SPEC §13: they gave a claim or a stance) of the pages that a search read."""
    rows = connection.execute(
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
    return tuple(_evidence(row) for row in rows)


def without_origins(connection: Connection, task_id: str) -> tuple[tuple[str, str, str], ...]:
    """Id, judged words and whole text of the task's stances of which nobody has looked for origins."""
    rows = connection.execute(
        """
        select e.id, coalesce(e.quote, f.text_content), f.text_content
        from edges e
        join fragments f on f.id = e.source_id
        where e.task_id = ? and e.source_type = 'fragment' and e.origins is null
        order by e.id
        """,
        (task_id,),
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


def _values(edge: Edge) -> dict[str, Any]:
    return {
        "id": edge.id,
        "source_type": edge.source_type,
        "source_id": edge.source_id,
        "target_type": edge.target_type,
        "target_id": edge.target_id,
        "relation": edge.relation,
        "nli_label": edge.nli_label,
        "nli_confidence": edge.nli_confidence,
        "nli_raw": edge.nli_raw,
        "nli_probabilities": None if edge.probabilities is None else to_json(edge.probabilities),
        "model_id": edge.model_id,
        "calibration_version": edge.calibration_version,
        "source_trust_level": edge.source_trust_level,
        "target_trust_level": edge.target_trust_level,
        "is_origin": edge.is_origin,
        "quote": edge.quote,
        "cause_id": edge.cause_id,
        "citation_source": edge.citation_source,
        "is_influential": edge.is_influential,
        "rule": edge.rule,
        "reader": edge.reader,
        **{name: getattr(edge.answers, name, None) for name in ("bears_raw", "side_raw", "bears", "side")},
        "origins": to_json(edge.origins),
        "is_notice": None if edge.source_type != "fragment" else edge.is_notice,
        "judged_text": None if edge.judged_text is None else judged_texts.to_column(edge.judged_text),
        "created_at": stamp(edge.created_at),
    }


def _edge(row: tuple[Any, ...]) -> Edge:
    return Edge(
        id=row[0],
        source_type=row[1],
        source_id=row[2],
        target_type=row[3],
        target_id=row[4],
        relation=Relation(row[5]),
        created_at=moment(row[6]),
        nli_label=row[7],
        nli_confidence=row[8],
        nli_raw=row[9],
        model_id=row[10],
        calibration_version=row[11],
        source_trust_level=level_or_none(row[12]),
        target_trust_level=level_or_none(row[13]),
        is_origin=bool(row[14]),
        quote=row[15],
        cause_id=row[16],
        probabilities=None if row[17] is None else tuple(json.loads(row[17])),
        citation_source=row[18],
        is_influential=bool(row[19]),
        rule=row[20],
        reader=row[21],
        answers=None if row[22] is None else AnswerProbabilities(*row[22:26]),
        origins=strings(row[26] or "[]"),
        is_notice=bool(row[27]),
        judged_text=judged_texts.from_column(row[28]),
    )


def _evidence(row: tuple[Any, ...]) -> EvidenceRow:
    repeated = _repeated(row[11], json.loads(row[14] or "[]"), row[12], row[13])
    return EvidenceRow(
        claim_id=row[0],
        fragment_id=row[1],
        page_id=row[2],
        domain=row[3],
        relation=Relation(row[4]),
        nli_confidence=row[5],
        source_trust_level=level_or_none(row[6]) or TrustLevel.UNVERIFIED,
        work_id=row[7],
        is_origin=bool(row[8]),
        duplicate_key=next(iter(repeated), row[9]),
        url=row[10],
        copied_from=tuple(dict.fromkeys(repeated.values())),
        origins=strings(row[15] or "[]") if row[16] is None else _other_names(row[7], *row[16:19]),
        no_vote=row[19],
    )


def _other_names(work_id: str, identifiers: str, authors: str, year: int | None) -> tuple[str, ...]:
    """What texts may call a work beside its id."""
    found = work_keys([(kind, value) for kind, value in json.loads(identifiers)], strings(authors), year)
    return tuple(name for name in found if name != f"work:{work_id}")


def _repeated(
    quote: str | None, contained: list[tuple[str, str, str]], original: str | None, source: str | None
) -> dict[str, str]:
    """Hash and source of the texts that an edge repeats, the one that its text goes by first.

    Of a text with sentences of others, those from which the deciding words were taken: it may have been judged by words
    of its own.
    """
    if original is None or source is None:
        return {}
    if not contained:
        return {original: source}
    grams = shingles(quote or "", _GRAM)
    return {
        text_hash: home
        for text_hash, text, home in sorted(contained, key=lambda one: (one[0] != original, one[0]))
        if len(grams & shingles(text, _GRAM)) >= _QUOTED_FROM * len(grams)
    }
