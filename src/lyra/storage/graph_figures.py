"""What the evidence graphs hold, in figures: the quality metrics of §4.6 are computed from them."""

from apsw import Connection

from lyra.storage.rows import read_dicts

# The tasks asked about, and the pages that each has reached.
_REACHED = """
with wanted as (
    select t.id
    from tasks t
    where (:task_id is null or t.id = :task_id)
        and (:since = '' or exists (select 1 from queries q where q.task_id = t.id and q.created_at >= :since))
),
reached as (
    select distinct t.task_id, t.page_id, p.domain
    from task_pages t
    join pages p on p.id = t.page_id
    where t.task_id in (select id from wanted)
)
"""
# Pages and their domains; pages that only gather what others say: lists, and those half of which repeats other domains;
# fragments, and those that repeat others; pages that were judged, and those of them from primary sources.
_PAGES = f"""{_REACHED},
retold as (
    select f.page_id
    from fragments f
    join pages p on p.id = f.page_id
    left join fragments o on o.id = f.near_duplicate_of
    left join pages earlier on earlier.id = o.page_id and earlier.domain <> p.domain
    where f.page_id in (select page_id from reached)
    group by f.page_id
    having count(earlier.id) * 2 >= count(*)
),
levels as (
    select (
        select coalesce(e.source_trust_level, 'unverified')
        from edges e
        where e.page_id = r.page_id and e.task_id = r.task_id
        limit 1
    ) as level
    from reached r
)
select
    (select count(*) from reached) as pages,
    (select count(distinct task_id || ' ' || domain) from reached) as domains,
    (select count(*) from fragments where page_id in (select page_id from reached)) as fragments,
    (
        select count(*)
        from fragments
        where near_duplicate_of is not null and page_id in (select page_id from reached)
    ) as repeated,
    (
        select count(*)
        from reached r
        join pages p on p.id = r.page_id
        where p.page_type in ('index', 'search') or r.page_id in (select page_id from retold)
    ) as gathered,
    (select count(level) from levels) as judged_pages,
    (select count(*) from levels where level in ('primary', 'government', 'academic')) as primary_pages
"""
# Claims with a stance that votes, with stances on both sides, and with a dated one.
_CLAIMS = f"""{_REACHED},
judged as (
    select
        exists (
            select 1
            from edges e
            where e.target_id = c.id and e.relation in ('supports', 'refutes') and e.no_vote = ''
        ) as has_stance,
        exists (select 1 from claim_years y where y.claim_id = c.id and y.task_id = c.task_id) as is_dated,
        c.supporting_count > 0 and c.refuting_count > 0 as is_contradicted
    from claims c
    where c.task_id in (select id from wanted)
)
select coalesce(sum(has_stance), 0) as judged_claims, coalesce(sum(is_contradicted), 0) as contradicted,
    coalesce(sum(has_stance and is_dated), 0) as dated
from judged
"""
# Loops of citations and their pages; narratives, and the one with the largest share of its task's pages.
_GROUPS = f"""{_REACHED},
narratives as (
    select g.task_id, g.group_id, count(*) as size,
        (select count(*) from reached r where r.task_id = g.task_id) as pages
    from page_groups g
    where g.kind = 'narrative' and g.task_id in (select id from wanted)
    group by g.task_id, g.group_id
),
largest as (
    select size, pages
    from narratives
    order by size * 1.0 / pages desc, pages desc
    limit 1
),
loops as (
    select task_id || ' ' || group_id as loop, task_id || ' ' || page_id as page
    from page_groups
    where kind = 'loop' and task_id in (select id from wanted)
)
select
    (select count(distinct loop) from loops) as loops,
    (select count(distinct page) from loops) as looped_pages,
    coalesce((select size from largest), 0) as largest_narrative,
    coalesce((select pages from largest), (select count(*) from reached)) as narrative_pages,
    (select count(*) from narratives) as narratives
"""


def figures(connection: Connection, task_id: str | None, since: str = "") -> dict[str, int]:
    """What the graphs hold: pages, domains, fragments that repeat others, claims with both sides, dates, clusters.

    Graphs of one task or of all; since a moment, of those that were searched since then.
    """
    found: dict[str, int] = {}
    for sql in (_PAGES, _CLAIMS, _GROUPS):
        found |= read_dicts(connection, sql, {"task_id": task_id, "since": since})[0]
    return found
