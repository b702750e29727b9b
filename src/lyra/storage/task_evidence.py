"""The evidence of a task, read in one go: what its digest, a pack and a replay are made of.

Of the pages a task has reached only those belong to it from which a fragment was judged or states a claim. Addresses
come without the values of secret parameters.
"""

from collections.abc import Callable
from dataclasses import replace

from apsw import Connection

from lyra.model.task_evidence import (
    EvidenceCitation,
    EvidenceClaim,
    EvidenceEdge,
    EvidenceFragment,
    EvidenceMention,
    EvidencePage,
    TaskEvidence,
)
from lyra.storage.rows import read

# A fragment that its page no longer has points into the version that is kept of it.
_FRAGMENTS = """
select f.id, f.page_id, f.text_version as version, f.text_content as text, f.text_hash, f.char_start, f.char_end,
    f.page_number, f.fragment_type, f.heading_context, f.language
from fragments f
where f.id in (
    select e.source_id from edges e where e.task_id = :task_id and e.source_type = 'fragment'
    union
    select m.fragment_id from claim_mentions m join claims c on c.id = m.claim_id where c.task_id = :task_id
)
order by f.id
"""
_PAGES = f"""
with spoken as (
    select distinct page_id, version from ({_FRAGMENTS.replace("order by f.id", "")})
)
select p.id, p.url, p.final_url, p.domain, p.title, p.language,
    iif(v.page_id is null, p.published_date, v.published_date) as published_date,
    iif(v.page_id is null, p.updated_date, v.updated_date) as updated_date, p.page_type, s.version, p.extractor,
    iif(v.page_id is null, p.fetched_at, v.fetched_at) as fetched_at,
    iif(v.page_id is null, p.warc_record_id, v.warc_record_id) as record_id, p.work_id
from spoken s
join pages p on p.id = s.page_id
left join page_versions v on v.page_id = s.page_id and v.text_version = s.version
    and not exists (
        select 1 from fragments f where f.page_id = s.page_id and f.text_version = s.version and f.superseded_at is null
    )
order by p.id, s.version
"""
_CLAIMS = """
select id, claim_text as text, language, is_hypothesis, expected_polarity, granularity, verdict, confidence,
    uncertainty, controversy, text_confidence, report_confidence, supporting_count, refuting_count, neutral_count,
    independent_sources, verification_status, adoption_status, refutation_status, trust_level, has_primary_source
from claims
where task_id = :task_id
order by id
"""
_MENTIONS = """
select m.claim_id, m.fragment_id, m.quote, m.char_start, m.char_end
from claim_mentions m
join claims c on c.id = m.claim_id
where c.task_id = :task_id
order by m.claim_id, m.fragment_id, m.char_start
"""
_EDGES = """
select target_id as claim_id, source_id as fragment_id, relation, nli_label, nli_confidence, nli_raw, model_id,
    calibration_version, reader, rule, source_trust_level, is_origin, no_vote, quote
from edges
where task_id = :task_id and source_type = 'fragment'
order by target_id, source_id
"""
_CITATIONS = """
with spoken as (
    select f.page_id
    from fragments f
    where f.id in (
        select e.source_id from edges e where e.task_id = :task_id and e.source_type = 'fragment'
        union
        select m.fragment_id from claim_mentions m join claims c on c.id = m.claim_id where c.task_id = :task_id
    )
)
select source_id as citing_page_id, target_id as cited_page_id, citation_source, is_influential
from edges
where relation = 'cites' and source_id in (select page_id from spoken) and target_id in (select page_id from spoken)
order by source_id, target_id
"""


def of_task(connection: Connection, task_id: str, clean_url: Callable[[str], str]) -> TaskEvidence:
    """All that the verdicts rest on; `clean_url` takes secrets out of an address."""
    names = {"task_id": task_id}
    return TaskEvidence(
        pages=tuple(
            replace(page, url=clean_url(page.url), final_url=clean_url(page.final_url))
            for page in read(connection, EvidencePage, _PAGES, names)
        ),
        fragments=read(connection, EvidenceFragment, _FRAGMENTS, names),
        claims=read(connection, EvidenceClaim, _CLAIMS, names),
        mentions=read(connection, EvidenceMention, _MENTIONS, names),
        edges=read(connection, EvidenceEdge, _EDGES, names),
        citations=read(connection, EvidenceCitation, _CITATIONS, names),
    )
