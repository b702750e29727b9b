"""The causal chain of a claim, read back from searches, journal, pages, mentions and edges."""

from dataclasses import dataclass, replace

from apsw import Connection

from lyra.model.edge import why_no_vote
from lyra.model.event import Event
from lyra.model.report import Chain, Discovery, Judgement
from lyra.storage import journal
from lyra.storage.rows import read

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
select p.id as "page.id", p.url as "page.url", p.title as "page.title",
    coalesce(v.fetched_at, p.fetched_at) as "page.fetched_at",
    iif(v.page_id is null, p.content_hash, null) as "page.content_hash", p.extractor as "page.extractor",
    iif(v.page_id is null, p.warc_path, v.warc_path) as "page.warc_path",
    iif(v.page_id is null, p.warc_offset, v.warc_offset) as "page.warc_offset",
    iif(v.page_id is null, p.warc_record_id, v.warc_record_id) as "page.warc_record_id",
    f.id as "fragment.id", f.text_content as "fragment.text", f.heading_context as "fragment.heading_context",
    f.char_start as "fragment.char_start", f.char_end as "fragment.char_end", f.text_hash as "fragment.text_hash",
    f.page_number as "fragment.page_number",
    (select json_group_array(m.quote) from claim_mentions m where m.claim_id = :claim_id and m.fragment_id = f.id)
        as stated,
    e.id as "judgement.edge_id", e.relation as "judgement.relation", coalesce(e.quote, '') as "judgement.quote",
    e.nli_confidence as "judgement.confidence", e.nli_raw as "judgement.raw_confidence",
    e.nli_probabilities as "judgement.probabilities", e.model_id as "judgement.model_id",
    e.calibration_version as "judgement.calibration_version", e.source_trust_level as "judgement.trust_level",
    e.cause_id as "judgement.search_id", e.created_at as "judgement.judged_at", e.rule as "judgement.rule",
    e.no_vote as "judgement.no_vote", e.judged_text as "judgement.judged_text", '[]' as discoveries
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
select s.page_id, q.id as "discovery.search_id", q.query as "discovery.query", s.engine as "discovery.engine",
    s.rank as "discovery.rank", s.state as "discovery.state", s.derived_query as "discovery.derived_query",
    s.referer as "discovery.referer",
    (
        select p.url
        from edges c
        join pages p on p.id = iif(c.source_id = s.page_id, c.target_id, c.source_id)
        join serp_items near on near.query_id = q.id and near.page_id = p.id and near.rank = 0
        where c.relation = 'cites' and s.page_id in (c.source_id, c.target_id)
            and s.state = 'abstract' and s.rank > 0
        order by c.id
        limit 1
    ) as "discovery.cited_with",
    j.details as "discovery.fetch", j.created_at as "discovery.fetched_at",
    (
        select d.rule
        from derived_queries d
        where d.query_id = q.id and d.text = s.derived_query
        order by d.page
        limit 1
    ) as "discovery.rule",
    (
        select json_group_array(json(details))
        from (select details from event_log where cause_id = s.id and kind = 'fetch' and id < j.id order by id)
    ) as "discovery.climbed"
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


@dataclass(frozen=True, slots=True)
class _PageDiscovery:
    page_id: str
    discovery: Discovery


def of_claim(connection: Connection, task_id: str, claim_id: str, *, with_neutral: bool = False) -> tuple[Chain, ...]:
    """Every way from the task's queries to the claim, the strongest judgement first."""
    found: dict[str, list[Discovery]] = {}
    for one in read(connection, _PageDiscovery, _DISCOVERIES, (task_id,)):
        found.setdefault(one.page_id, []).append(one.discovery)
    chains = read(connection, Chain, _LINKS, {"claim_id": claim_id, "with_neutral": with_neutral})
    return tuple(
        replace(
            chain,
            discoveries=tuple(found.get(chain.page.id, ())),
            judgement=None if chain.judgement is None else _in_words(chain.judgement),
        )
        for chain in chains
    )


def events(connection: Connection, task_id: str, *, after: int, limit: int) -> tuple[Event, ...]:
    """What the journal holds of a task after that entry, oldest first, with every request its searches led to."""
    rule = """
        where id in (
            select id
            from event_log
            where task_id = :task_id and id > :after
            union
            select e.id
            from (
                select id
                from queries
                where task_id = :task_id
                union all
                select s.id
                from queries q
                join serp_items s on s.query_id = q.id
                where q.task_id = :task_id
            ) causes
            join event_log e on e.cause_id = causes.id
            where e.id > :after
        )
        order by id
        limit :limit
    """
    return journal.read_events(connection, rule, {"task_id": task_id, "after": after, "limit": limit})


def _in_words(judgement: Judgement) -> Judgement:
    """The judgement with why it has no vote, and its quote with what was read beside it."""
    judged = judgement.judged_text
    in_context = judgement.quote if judged is None else judged.marked
    return replace(judgement, no_vote_reason=why_no_vote(judgement.no_vote), in_context=in_context)
