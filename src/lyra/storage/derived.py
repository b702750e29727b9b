"""What follows from the evidence, written again in the transaction that changes the evidence.

    pages, works, reviews              → edges.year, edges.no_vote → claims_to_assess
    edges                              → claim_years → claim_spans, task_years, task_decades
    edges                              → page_stances, claim_sides
    edges, claim_mentions              → task_fragments
    edges, claim_mentions, serp_items  → task_pages
    task_pages, page_links             → task_references

Six tables that follow from the evidence as well are written elsewhere: `claim_sources` (`storage/claim_sources.py`),
`review_queue` (`storage/reviews.py`), `page_groups` (`storage/page_groups.py`), `citation_flows`
(`storage/citation_flows.py`), `promotions` (`storage/trust.py`) and `contained_originals` (`storage/pages.py`).

Nothing of this happens by itself: whoever writes what stands on the left calls the function that is named after it.
What is deleted takes its own rows along by foreign keys and triggers; edges are deleted with their task alone.
How a claim is assessed is decided in `lyra.evidence.assess`.
"""

from collections.abc import Collection, Iterable
from typing import Any

from apsw import Connection

from lyra.model.claim import CONTESTED_ABOVE
from lyra.storage.columns import ids_json, to_json
from lyra.storage.rows import column

Pair = tuple[str, str]
TaskYear = tuple[str, int]

# `cross join` and `+` keep SQLite from reading whole tables where few rows are asked for.
# The year of the version that was read; a date after the reading is one that the page cannot have had yet.
_REDATED = """
select id, year, nullif(dated, 0)
from (
    select e.id, e.year, min(
        cast(substr(p.fetched_at, 1, 4) as integer),
        max(coalesce(p.year, 0), coalesce(cast(substr(p.updated_date, 1, 4) as integer), 0))
    ) as dated
    from json_each(:pages) i
    cross join edges e on e.page_id = i.value and +e.source_type = 'fragment'
    join fragments f on f.id = e.source_id and f.superseded_at is null
    join pages p on p.id = e.page_id
)
where coalesce(year, 0) <> dated
"""
# Whether the page `p` is retracted. Pages of the work before the indexes, of several pages the one read last: a page
# says first what became of it.
PAGE_IS_RETRACTED = """coalesce(
        (
            select q.retraction = 'retracted'
            from pages q
            where q.id in (select p.id union all select s.id from pages s where s.work_id = p.work_id)
                and q.retraction <> ''
            order by q.fetched_at desc, q.id
            limit 1
        ),
        (select w.is_retracted from works w where w.id = p.work_id),
        0
    )"""
_VOTES_CHANGED = f"""
with page as materialized (
    select p.id, {PAGE_IS_RETRACTED} as is_retracted
    from json_each(:pages) i
    join pages p on p.id = i.value
)
select id, target_id, reason
from (
    select e.id, e.target_id, e.no_vote, case
        when page.is_retracted then 'retracted'
        when f.superseded_at is not null and instr(
            (select text_content from pages where id = e.page_id), coalesce(e.quote, f.text_content)
        ) = 0 then 'superseded'
        when e.is_notice = 1 then 'notice'
        when e.no_vote in ('retells_retracted', 'retells_corrected') then e.no_vote
        when e.relation = 'neutral' and exists (
            select 1 from reviews r where r.edge_id = e.id and r.state = 'in_force'
        ) then 'reviewed_neutral'
        else ''
    end as reason
    from page
    cross join edges e on e.page_id = page.id and +e.source_type = 'fragment'
    join fragments f on f.id = e.source_id
)
where no_vote <> reason
"""
# A text counts once: of near-duplicates and exact copies the strongest stance, in the year of the earliest.
_YEARS = """
select task_id, target_id, first_year, sum(relation = 'supports'), sum(relation = 'refutes'),
    sum(iif(relation = 'supports', weight, 0.0)), sum(iif(relation = 'refutes', weight, 0.0))
from (
    select e.task_id, e.target_id, e.relation, coalesce(e.nli_confidence, 0.5) as weight,
        min(e.year) over copies as first_year,
        row_number() over (
            copies order by coalesce(e.nli_confidence, 0.5) desc, e.relation = 'supports', e.source_id desc
        ) as place
    from json_each(:claims) i
    cross join edges e on e.task_id = i.value ->> 0 and e.target_id = i.value ->> 1
        and e.relation in ('supports', 'refutes') and +e.year is not null and e.no_vote = ''
    join fragments f on f.id = e.source_id
    left join fragments original on original.id = f.near_duplicate_of
    window copies as (partition by e.task_id, e.target_id, coalesce(original.text_hash, f.text_hash))
)
where place = 1
group by task_id, target_id, first_year
"""
_SPANS = """
insert into claim_spans (task_id, claim_id, earliest_year, latest_year, years, supports, refutes, newest_support,
    newest_refutation, mean_year, slope, share_for, share_against)
select y.task_id, y.claim_id, min(year), max(year), count(*), sum(supports), sum(refutes),
    max(iif(supports, year, 0)), max(iif(refutes, year, 0)),
    sum(year * (supports + refutes)) * 1.0 / sum(supports + refutes),
    (count(*) * sum(year * supports) - sum(year) * sum(supports)) * 1.0
        / nullif(count(*) * sum(year * year) - sum(year) * sum(year), 0),
    sum(supports > refutes) * 1.0 / count(*), sum(supports < refutes) * 1.0 / count(*)
from json_each(:claims) i
join claim_years y on y.task_id = i.value ->> 0 and y.claim_id = i.value ->> 1
group by y.task_id, y.claim_id
"""
_TASK_YEARS = """
insert into task_years (task_id, year, fragments, claims, supports, refutes, support_weight, refute_weight)
select :task, :year, (
        select count(distinct source_id)
        from edges
        where task_id = :task and year = :year and relation in ('supports', 'refutes') and no_vote = ''
    ) as speaking, count(*), coalesce(sum(supports), 0), coalesce(sum(refutes), 0), total(support_weight),
    total(refute_weight)
from claim_years
where task_id = :task and year = :year
having speaking > 0 or count(*) > 0
"""
_TASK_DECADES = """
insert into task_decades (task_id, decade, claims, contested, support_weight, refute_weight)
select :task, :decade, count(*),
    sum(coalesce(min(support_weight, refute_weight) / (support_weight + refute_weight) > :contested_above, 0)),
    sum(support_weight), sum(refute_weight)
from (
    select sum(support_weight) as support_weight, sum(refute_weight) as refute_weight
    from claim_years
    where task_id = :task and year / 10 = :decade
    group by claim_id
)
having count(*) > 0
"""
# Of a page that speaks for and against only its stronger side counts; on equal strength the doubt is kept.
_STRONGEST = """
        select e.id
        from edges e
        where e.task_id = c.task_id and e.target_id = c.id and e.relation = '{relation}' and e.no_vote = ''
            and not exists (
            select 1
            from edges o
            where o.task_id = c.task_id and o.target_id = c.id and o.relation = '{opposite}' and o.no_vote = ''
                and o.page_id = e.page_id and coalesce(o.nli_confidence, 0.5) {over} coalesce(e.nli_confidence, 0.5)
        )
        order by e.nli_confidence desc, e.source_id
        limit 1
"""
_SIDES = f"""
insert into claim_sides (claim_id, task_id, supporting_edge_id, refuting_edge_id)
select id, task_id, supporting, refuting
from (
    select c.id, c.task_id,
        ({_STRONGEST.format(relation="supports", opposite="refutes", over=">=")}) as supporting,
        ({_STRONGEST.format(relation="refutes", opposite="supports", over=">")}) as refuting
    from json_each(:claims) i
    join claims c on c.id = i.value
)
where supporting is not null and refuting is not null
"""
_PAGE_STANCES = """
insert into page_stances (task_id, page_id, supports, refutes, neutrals)
select e.task_id, e.page_id, sum(e.relation = 'supports'), sum(e.relation = 'refutes'), sum(e.relation = 'neutral')
from json_each(:pages) i
cross join edges e on e.page_id = i.value ->> 1 and +e.task_id = i.value ->> 0
group by e.task_id, e.page_id
on conflict do update
set supports = excluded.supports, refutes = excluded.refutes, neutrals = excluded.neutrals
"""


def page_changed(connection: Connection, page_id: str) -> None:
    """A page was read, or what is known of it has changed: that concerns all pages of its work."""
    rows = connection.execute(
        """
        select p.id
        from pages p
        where p.id in (
            select :page
            union all
            select s.id from pages own join pages s on s.work_id = own.work_id where own.id = :page
        )
        """,
        {"page": page_id},
    ).fetchall()
    _derive(connection, [str(one) for (one,) in rows])


def work_changed(connection: Connection, work_id: str) -> None:
    """What is known of a work has changed."""
    rows = connection.execute("select id from pages where work_id = ?", (work_id,)).fetchall()
    _derive(connection, [str(page_id) for (page_id,) in rows])


def edges_written(connection: Connection, edge_ids: Iterable[str]) -> None:
    """Edges are new, or somebody has decided otherwise on them."""
    ids = set(edge_ids)
    rows = connection.execute(
        """
        select distinct task_id, page_id, source_id
        from edges
        where id in (select value from json_each(?)) and task_id is not null and page_id is not null
        """,
        (ids_json(ids),),
    ).fetchall()
    _derive(connection, {str(page_id) for _, page_id, _ in rows}, ids)
    _add_pages(connection, [(str(task_id), str(page_id)) for task_id, page_id, _ in rows])
    _add_fragments(connection, [(str(task_id), str(fragment_id)) for task_id, _, fragment_id in rows])


def votes_changed(connection: Connection, edge_ids: Collection[str]) -> None:
    """Edges have lost or regained their vote by a rule of another module."""
    _count(connection, edge_ids)


def copies_changed(connection: Connection, fragment_ids: Iterable[str]) -> None:
    """Fragments are copies of another text than before."""
    rows = connection.execute(
        """
        select distinct task_id, target_id
        from edges
        where source_type = 'fragment' and source_id in (select value from json_each(?))
            and relation in ('supports', 'refutes') and year is not null
        """,
        (ids_json(fragment_ids),),
    ).fetchall()
    _count_claims(connection, {(str(task), str(claim)) for task, claim in rows})


def originals_lost(connection: Connection, fragment_ids: Iterable[str]) -> None:
    """Fragments have lost a text that they repeat: what the claims rest on may be independent now."""
    claim_ids = column(
        connection,
        """
        select distinct target_id
        from edges
        where source_type = 'fragment' and source_id in (select value from json_each(?)) and task_id is not null
        """,
        (ids_json(fragment_ids),),
    )
    _assess_later(connection, claim_ids)


def mentions_written(connection: Connection, pairs: Iterable[Pair]) -> None:
    """Claims are stated in fragments, each pair new or known."""
    rows = connection.execute(
        """
        select c.task_id, f.id, f.page_id
        from json_each(?) i
        join claims c on c.id = i.value ->> 0
        join fragments f on f.id = i.value ->> 1
        """,
        (to_json(sorted(set(pairs))),),
    ).fetchall()
    _add_fragments(connection, [(str(task_id), str(fragment_id)) for task_id, fragment_id, _ in rows])
    _add_pages(connection, [(str(task_id), str(page_id)) for task_id, _, page_id in rows])


def candidates_written(connection: Connection, candidate_ids: Iterable[str]) -> None:
    """Addresses that a search found are new, or have led to a page."""
    rows = connection.execute(
        """
        select q.task_id, s.page_id
        from serp_items s
        join queries q on q.id = s.query_id
        where s.id in (select value from json_each(?)) and s.page_id is not null
        """,
        (ids_json(candidate_ids),),
    ).fetchall()
    _add_pages(connection, [(str(task_id), str(page_id)) for task_id, page_id in rows])


def links_changed(connection: Connection, page_id: str, gone: Iterable[Any], new: Iterable[Any]) -> None:
    """A page no longer links to some targets, and links to new ones: rows of kind and value."""
    values = {"page": page_id, "gone": to_json(gone), "new": to_json(new)}
    of_page = """
        task_id in (select task_id from task_pages where page_id = :page)
            and (kind, value) in (select value ->> 0, value ->> 1 from json_each(:gone))
    """
    connection.execute(f"update task_references set citing_pages = citing_pages - 1 where {of_page}", values)
    connection.execute(f"delete from task_references where citing_pages = 0 and {of_page}", values)
    connection.execute(
        """
        insert into task_references (task_id, kind, value, url, citing_pages)
        select t.task_id, l.kind, l.value, l.url, 1
        from json_each(:new) i
        join page_links l on l.page_id = :page and l.kind = i.value ->> 0 and l.value = i.value ->> 1
        join task_pages t on t.page_id = l.page_id
        on conflict do update set citing_pages = citing_pages + 1
        """,
        values,
    )


def _derive(connection: Connection, page_ids: Collection[str], edge_ids: Iterable[str] = ()) -> None:
    """Date the edges of these pages, find out which of them vote, and count what changed, with the edges named."""
    pages = {"pages": ids_json(page_ids)}
    dated = connection.execute(_REDATED, pages).fetchall()
    connection.executemany("update edges set year = ? where id = ?", [(year, edge) for edge, _, year in dated])
    voting = connection.execute(_VOTES_CHANGED, pages).fetchall()
    connection.executemany("update edges set no_vote = ? where id = ?", [(reason, edge) for edge, _, reason in voting])
    _assess_later(connection, {str(claim_id) for _, claim_id, _ in voting})
    changed = {*edge_ids, *(str(edge) for edge, _, _ in dated), *(str(edge) for edge, _, _ in voting)}
    _count(connection, changed, {int(year) for _, year, _ in dated if year is not None})


def _assess_later(connection: Connection, claim_ids: Iterable[str]) -> None:
    connection.execute(
        """
        insert into claims_to_assess (claim_id)
        select id from claims where id in (select value from json_each(?))
        on conflict do nothing
        """,
        (ids_json(claim_ids),),
    )


def _count(connection: Connection, edge_ids: Collection[str], left_years: Collection[int] = ()) -> None:
    """Count anew what these edges are counted in: the years of their claims and tasks (`left_years` they had before),
    the sides of their claims, and the stances of their pages."""
    rows = connection.execute(
        """
        select distinct task_id, target_id, page_id, year
        from edges
        where id in (select value from json_each(?)) and task_id is not null and page_id is not null
        """,
        (ids_json(edge_ids),),
    ).fetchall()
    years = {(str(task), int(year)) for task, _, _, year in rows if year is not None}
    years |= {(str(task), year) for task, _, _, _ in rows for year in left_years}
    _count_claims(connection, {(str(task), str(claim)) for task, claim, _, _ in rows}, years)
    _choose_sides(connection, {str(claim) for _, claim, _, _ in rows})
    connection.execute(_PAGE_STANCES, {"pages": to_json(sorted({(task, page) for task, _, page, _ in rows}))})


def _choose_sides(connection: Connection, claim_ids: Iterable[str]) -> None:
    """The strongest edge on each side of these claims, where there are two sides."""
    claims = {"claims": ids_json(sorted(claim_ids))}
    connection.execute("delete from claim_sides where claim_id in (select value from json_each(:claims))", claims)
    connection.execute(_SIDES, claims)


def _count_claims(connection: Connection, claims: Collection[Pair], years: Collection[TaskYear] = ()) -> None:
    """The years of claims with all that follows from them; other fragments than before speak in `years`."""
    counted = _count_claim_years(connection, claims)
    _count_task_years(connection, {*counted, *years})
    _count_task_decades(connection, {(task, year // 10) for task, year in counted})


def _count_claim_years(connection: Connection, claims: Collection[Pair]) -> set[TaskYear]:
    """The years of claims, and the span of each; returns the years in which anything changed."""
    known = _years(
        connection,
        """
        select y.task_id, y.claim_id, y.year, y.supports, y.refutes, y.support_weight, y.refute_weight
        from json_each(:claims) i
        join claim_years y on y.task_id = i.value ->> 0 and y.claim_id = i.value ->> 1
        """,
        claims,
    )
    counted = _years(connection, _YEARS, claims)
    gone = known.keys() - counted.keys()
    connection.executemany("delete from claim_years where task_id = ? and claim_id = ? and year = ?", sorted(gone))
    new = [(*key, *figures) for key, figures in counted.items() if known.get(key) != figures]
    connection.executemany(
        """
        insert or replace into claim_years (task_id, claim_id, year, supports, refutes, support_weight, refute_weight)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        new,
    )
    changed = {*gone, *((task, claim, year) for task, claim, year, *_ in new)}
    spans = sorted({(task, claim) for task, claim, _ in changed})
    connection.executemany("delete from claim_spans where task_id = ? and claim_id = ?", spans)
    connection.execute(_SPANS, {"claims": to_json(spans)})
    return {(task, year) for task, _, year in changed}


def _years(connection: Connection, statement: str, claims: Collection[Pair]) -> dict[tuple[str, str, int], list[Any]]:
    """The figures of each claim in each year."""
    rows = connection.execute(statement, {"claims": to_json(sorted(claims))})
    return {(str(task), str(claim), int(year)): figures for task, claim, year, *figures in rows}


def _count_task_years(connection: Connection, years: Iterable[TaskYear]) -> None:
    """What these years hold for a whole task."""
    keys = [{"task": task, "year": year} for task, year in sorted(years)]
    connection.executemany("delete from task_years where task_id = :task and year = :year", keys)
    connection.executemany(_TASK_YEARS, keys)


def _count_task_decades(connection: Connection, decades: Iterable[tuple[str, int]]) -> None:
    """What these decades hold for a whole task."""
    keys = [{"task": task, "decade": at, "contested_above": CONTESTED_ABOVE} for task, at in sorted(decades)]
    connection.executemany("delete from task_decades where task_id = :task and decade = :decade", keys)
    connection.executemany(_TASK_DECADES, keys)


def _add_fragments(connection: Connection, fragments: Iterable[Pair]) -> None:
    """Tasks and fragments that were judged in them or mention a claim of theirs."""
    connection.executemany(
        "insert into task_fragments (task_id, fragment_id) values (?, ?) on conflict do nothing", sorted(set(fragments))
    )


def _add_pages(connection: Connection, pages: Iterable[Pair]) -> None:
    """Tasks and pages that they reached; what a page links to is counted when it is reached first."""
    reached = connection.execute(
        """
        insert into task_pages (task_id, page_id)
        select value ->> 0, value ->> 1 from json_each(?) where true
        on conflict do nothing
        returning task_id, page_id
        """,
        (to_json(sorted(set(pages))),),
    ).fetchall()
    connection.execute(
        """
        insert into task_references (task_id, kind, value, url, citing_pages)
        select i.value ->> 0, l.kind, l.value, l.url, 1
        from json_each(?) i
        join page_links l on l.page_id = i.value ->> 1
        on conflict do update set citing_pages = citing_pages + 1
        """,
        (to_json(reached),),
    )
