"""What the evidence graphs hold, in figures: the quality metrics of §4.6 are computed from them."""

from apsw import Connection

from lyra.storage.rows import read_dicts


def figures(connection: Connection, task_id: str | None, since: str = "") -> dict[str, int]:
    """What the graphs hold: pages, domains, fragments that repeat others, claims with both sides, dates, clusters.

    Graphs of one task or of all; since a moment, of those that were searched since then.
    """
    return read_dicts(
        connection,
        """
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
        ),
        judged as (
            select c.id,
                exists (
                    select 1 from edges e where e.target_id = c.id and e.relation = 'supports' and e.no_vote = ''
                ) as supported,
                exists (
                    select 1 from edges e where e.target_id = c.id and e.relation = 'refutes' and e.no_vote = ''
                ) as refuted,
                exists (select 1 from claim_years y where y.claim_id = c.id and y.task_id = c.task_id) as dated,
                c.supporting_count > 0 and c.refuting_count > 0 as contradicted
            from claims c
            where c.task_id in (select id from wanted)
        ),
        levels as (
            select (
                select coalesce(e.source_trust_level, 'unverified')
                from edges e
                where e.page_id = r.page_id and e.task_id = r.task_id
                limit 1
            ) as level
            from reached r
        ),
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
            (select count(*) from levels where level in ('primary', 'government', 'academic')) as primary_pages,
            (select count(*) from judged where supported or refuted) as judged_claims,
            (select count(*) from judged where contradicted) as contradicted,
            (select count(*) from judged where (supported or refuted) and dated) as dated,
            (
                select count(distinct task_id || ' ' || group_id)
                from page_groups
                where kind = 'loop' and task_id in (select id from wanted)
            ) as loops,
            (
                select count(distinct task_id || ' ' || page_id)
                from page_groups
                where kind = 'loop' and task_id in (select id from wanted)
            ) as looped_pages,
            coalesce((select size from largest), 0) as largest_narrative,
            coalesce((select pages from largest), (select count(*) from reached)) as narrative_pages,
            (select count(*) from narratives) as narratives
        """,
        {"task_id": task_id, "since": since},
    )[0]
