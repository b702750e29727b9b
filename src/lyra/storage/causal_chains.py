"""The causal chain of a claim, read back from searches, journal, pages, mentions and edges."""

import json
from typing import Any

from apsw import Connection

from lyra.model.edge import Relation, why_no_vote
from lyra.model.event import Event
from lyra.model.report import Chain, ChainFragment, ChainPage, Discovery, Judgement
from lyra.storage import journal, judged_texts
from lyra.storage.columns import moment, moment_or_none

# A page that has changed since keeps the versions that are evidence: what was read then is told, not what it says now.
# A fragment belongs to the chain where it states the claim or was judged to speak of it. Judged fragments come first.
_LINKS = """
with linked as (
    select e.source_id as fragment_id
    from edges e
    where e.target_type = 'claim' and e.target_id = :claim_id and e.source_type = 'fragment'
        and (e.relation <> 'neutral' or :with_neutral)
    union
    select m.fragment_id
    from claim_mentions m
    where m.claim_id = :claim_id
)
select p.id, p.url, p.title, coalesce(v.fetched_at, p.fetched_at), iif(v.page_id is null, p.content_hash, null),
    p.extractor, iif(v.page_id is null, p.warc_path, v.warc_path), iif(v.page_id is null, p.warc_offset, v.warc_offset),
    iif(v.page_id is null, p.warc_record_id, v.warc_record_id),
    f.id, f.text_content, f.heading_context, f.char_start, f.char_end, f.text_hash, f.page_number,
    (select json_group_array(m.quote) from claim_mentions m where m.claim_id = :claim_id and m.fragment_id = f.id),
    e.id, e.relation, e.quote, e.nli_confidence, e.nli_raw, e.nli_probabilities, e.model_id, e.calibration_version,
    e.source_trust_level, e.cause_id, e.created_at, e.rule, e.no_vote, e.judged_text
from linked l
join fragments f on f.id = l.fragment_id
join pages p on p.id = f.page_id
left join page_versions v on v.page_id = f.page_id and v.text_version = f.text_version and f.superseded_at is not null
left join edges e on e.target_type = 'claim' and e.target_id = :claim_id and e.source_type = 'fragment'
    and e.source_id = f.id
order by e.id is null, e.relation = 'neutral', e.nli_confidence desc, p.url, f.position, f.id
"""
# A paper whose rank is not 0 was reached by a citation from or to one that an index found.
# A fetch is noted in the journal under the id of the candidate that caused it.
_DISCOVERIES = """
select s.page_id, q.id, q.query, s.engine, s.rank, s.state, s.derived_query, s.referer,
    (
        select p.url
        from edges c
        join pages p on p.id = iif(c.source_id = s.page_id, c.target_id, c.source_id)
        join serp_items near on near.query_id = q.id and near.page_id = p.id and near.rank = 0
        where c.relation = 'cites' and s.page_id in (c.source_id, c.target_id)
            and s.state = 'abstract' and s.rank > 0
        order by c.id
        limit 1
    ),
    j.details, j.created_at,
    (
        select d.rule
        from derived_queries d
        where d.query_id = q.id and d.text = s.derived_query
        order by d.page
        limit 1
    ),
    (
        select json_group_array(json(details))
        from (select details from event_log where cause_id = s.id and kind = 'fetch' and id < j.id order by id)
    )
from queries q
join serp_items s on s.query_id = q.id
left join event_log j on j.id = (
    select max(id)
    from event_log
    where cause_id = s.id and kind = 'fetch'
)
where q.task_id = ? and s.page_id is not null
order by q.created_at, q.id, s.rank, s.id
"""


def of_claim(connection: Connection, task_id: str, claim_id: str, *, with_neutral: bool = False) -> tuple[Chain, ...]:
    """Every way from the task's queries to the claim, the strongest judgement first."""
    found: dict[str, list[Discovery]] = {}
    for row in connection.execute(_DISCOVERIES, (task_id,)):
        found.setdefault(str(row[0]), []).append(_discovery(row[1:]))
    rows = connection.execute(_LINKS, {"claim_id": claim_id, "with_neutral": with_neutral})
    return tuple(_chain(row, tuple(found.get(str(row[0]), ()))) for row in rows)


def events(connection: Connection, task_id: str, *, after: int, limit: int) -> tuple[Event, ...]:
    """What the journal holds of a task after that entry, oldest first, with every request its searches led to."""
    rows = connection.execute(
        """
        with causes as (
            select id
            from queries
            where task_id = :task_id
            union all
            select s.id
            from queries q
            join serp_items s on s.query_id = q.id
            where q.task_id = :task_id
        ),
        own as (
            select id
            from event_log
            where task_id = :task_id and id > :after
            union
            select e.id
            from causes c
            join event_log e on e.cause_id = c.id
            where e.id > :after
        )
        select kind, created_at, subject, details, task_id, search_id, cause_id, id
        from event_log
        where id in (select id from own)
        order by id
        limit :limit
        """,
        {"task_id": task_id, "after": after, "limit": limit},
    )
    return tuple(map(journal.event, rows))


def _discovery(row: tuple[Any, ...]) -> Discovery:
    return Discovery(
        search_id=row[0],
        query=row[1],
        engine=row[2],
        rank=row[3],
        state=row[4],
        derived_query=row[5],
        referer=row[6],
        cited_with=row[7],
        fetch=None if row[8] is None else json.loads(row[8]),
        fetched_at=moment_or_none(row[9]),
        rule=row[10],
        climbed=tuple(json.loads(row[11])),
    )


def _chain(row: tuple[Any, ...], discoveries: tuple[Discovery, ...]) -> Chain:
    return Chain(
        discoveries=discoveries,
        page=ChainPage(row[0], row[1], row[2], moment(row[3]), *row[4:9]),
        fragment=ChainFragment(*row[9:16]),
        stated=tuple(json.loads(row[16])),
        judgement=None if row[17] is None else _judgement(row[17:]),
    )


def _judgement(row: tuple[Any, ...]) -> Judgement:
    judged = judged_texts.from_column(row[13])
    return Judgement(
        edge_id=row[0],
        relation=Relation(row[1]),
        quote=row[2] or "",
        confidence=row[3],
        raw_confidence=row[4],
        probabilities=None if row[5] is None else tuple(json.loads(row[5])),
        model_id=row[6],
        calibration_version=row[7],
        trust_level=row[8],
        search_id=row[9],
        judged_at=moment(row[10]),
        rule=row[11],
        no_vote=row[12],
        no_vote_reason=why_no_vote(row[12]),
        judged_text=judged,
        in_context=row[2] or "" if judged is None else judged.marked,
    )
