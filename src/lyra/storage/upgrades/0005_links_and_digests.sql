-- Who links to whom, digests that keep the views quick, pages that count as one source, and vectors kept for later.

-- Why an edge has its relation, where a rule and not the model decided.
alter table edges add column rule text;

-- Addresses and papers that the main text of a page links to. A paper is named by its identifier, whatever the address.
create table page_links (
    page_id text not null references pages (id) on delete cascade,
    kind text not null check (kind in ('url', 'doi', 'pmid', 'arxiv')),
    value text not null,
    url text not null,
    primary key (page_id, kind, value)
) strict, without rowid;
create index page_links_by_target on page_links (kind, value);
-- A link may name the address that a page was redirected to.
create index pages_by_final_url on pages (final_url);

-- What the pages of a task link to, and how many of them do. Triggers keep it.
create table task_references (
    task_id text not null references tasks (id) on delete cascade,
    kind text not null,
    value text not null,
    url text not null,
    citing_pages integer not null,
    primary key (task_id, value, kind)
) strict, without rowid;
create index task_references_by_count on task_references (task_id, citing_pages desc, kind, value);
create trigger page_links_enter_references after insert on page_links begin
    insert into task_references (task_id, kind, value, url, citing_pages)
    select task_id, new.kind, new.value, new.url, 1 from task_pages where page_id = new.page_id
    on conflict do update set citing_pages = citing_pages + 1;
end;
create trigger page_links_leave_references after delete on page_links begin
    update task_references
    set citing_pages = citing_pages - 1
    where kind = old.kind and value = old.value
        and task_id in (select task_id from task_pages where page_id = old.page_id);
    delete from task_references
    where kind = old.kind and value = old.value and citing_pages = 0
        and task_id in (select task_id from task_pages where page_id = old.page_id);
end;
create trigger task_pages_enter_references after insert on task_pages begin
    insert into task_references (task_id, kind, value, url, citing_pages)
    select new.task_id, kind, value, url, 1 from page_links where page_id = new.page_id
    on conflict do update set citing_pages = citing_pages + 1;
end;
create trigger task_pages_leave_references after delete on task_pages begin
    update task_references
    set citing_pages = citing_pages - 1
    where task_id = old.task_id
        and (kind, value) in (select kind, value from page_links where page_id = old.page_id);
    delete from task_references
    where task_id = old.task_id and citing_pages = 0
        and (kind, value) in (select kind, value from page_links where page_id = old.page_id);
end;

-- Stances on a claim by decade: a digest of `claim_years`. Contested as SPEC §13 says: controversy over 0.3.
create table claim_decades (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    decade integer not null,
    years integer not null,
    support_weight real not null,
    refute_weight real not null,
    is_contested integer not null
        as (min(support_weight, refute_weight) > 0.3 * (support_weight + refute_weight)) stored,
    primary key (task_id, claim_id, decade)
) strict, without rowid;

-- The same for a whole task: what every year and every decade holds.
create table task_decades (
    task_id text not null references tasks (id) on delete cascade,
    decade integer not null,
    claims integer not null,
    contested integer not null,
    support_weight real not null,
    refute_weight real not null,
    primary key (task_id, decade)
) strict, without rowid;
create table task_years (
    task_id text not null references tasks (id) on delete cascade,
    year integer not null,
    fragments integer not null default 0,
    claims integer not null default 0,
    supports integer not null default 0,
    refutes integer not null default 0,
    support_weight real not null default 0,
    refute_weight real not null default 0,
    primary key (task_id, year)
) strict, without rowid;

-- Fragments that take a stance in a task, with the year of their page and the number of stances.
create table fragment_years (
    task_id text not null references tasks (id) on delete cascade,
    year integer not null,
    fragment_id text not null,
    stances integer not null,
    primary key (task_id, year, fragment_id)
) strict, without rowid;

create trigger claim_years_enter after insert on claim_years begin
    insert into task_years (task_id, year, claims, supports, refutes, support_weight, refute_weight)
    values (new.task_id, new.year, 1, new.supports, new.refutes, new.support_weight, new.refute_weight)
    on conflict do update
    set claims = claims + 1, supports = supports + excluded.supports, refutes = refutes + excluded.refutes,
        support_weight = support_weight + excluded.support_weight,
        refute_weight = refute_weight + excluded.refute_weight;
    insert into claim_decades (task_id, claim_id, decade, years, support_weight, refute_weight)
    values (new.task_id, new.claim_id, new.year / 10, 1, new.support_weight, new.refute_weight)
    on conflict do update
    set years = years + 1, support_weight = support_weight + excluded.support_weight,
        refute_weight = refute_weight + excluded.refute_weight;
end;
create trigger claim_years_change after update on claim_years begin
    update task_years
    set supports = supports + new.supports - old.supports, refutes = refutes + new.refutes - old.refutes,
        support_weight = support_weight + new.support_weight - old.support_weight,
        refute_weight = refute_weight + new.refute_weight - old.refute_weight
    where task_id = new.task_id and year = new.year;
    update claim_decades
    set support_weight = support_weight + new.support_weight - old.support_weight,
        refute_weight = refute_weight + new.refute_weight - old.refute_weight
    where task_id = new.task_id and claim_id = new.claim_id and decade = new.year / 10;
end;
create trigger claim_years_leave after delete on claim_years begin
    update task_years
    set claims = claims - 1, supports = supports - old.supports, refutes = refutes - old.refutes,
        support_weight = support_weight - old.support_weight, refute_weight = refute_weight - old.refute_weight
    where task_id = old.task_id and year = old.year;
    delete from task_years where task_id = old.task_id and year = old.year and claims = 0 and fragments = 0;
    update claim_decades
    set years = years - 1, support_weight = support_weight - old.support_weight,
        refute_weight = refute_weight - old.refute_weight
    where task_id = old.task_id and claim_id = old.claim_id and decade = old.year / 10;
    delete from claim_decades
    where task_id = old.task_id and claim_id = old.claim_id and decade = old.year / 10 and years = 0;
end;
create trigger claim_decades_enter after insert on claim_decades begin
    insert into task_decades (task_id, decade, claims, contested, support_weight, refute_weight)
    values (new.task_id, new.decade, 1, new.is_contested, new.support_weight, new.refute_weight)
    on conflict do update
    set claims = claims + 1, contested = contested + excluded.contested,
        support_weight = support_weight + excluded.support_weight,
        refute_weight = refute_weight + excluded.refute_weight;
end;
create trigger claim_decades_change after update on claim_decades begin
    update task_decades
    set contested = contested + new.is_contested - old.is_contested,
        support_weight = support_weight + new.support_weight - old.support_weight,
        refute_weight = refute_weight + new.refute_weight - old.refute_weight
    where task_id = new.task_id and decade = new.decade;
end;
create trigger claim_decades_leave after delete on claim_decades begin
    update task_decades
    set claims = claims - 1, contested = contested - old.is_contested,
        support_weight = support_weight - old.support_weight, refute_weight = refute_weight - old.refute_weight
    where task_id = old.task_id and decade = old.decade;
    delete from task_decades where task_id = old.task_id and decade = old.decade and claims = 0;
end;
create trigger edges_enter_fragment_years after insert on edges
when new.relation in ('supports', 'refutes') and new.year is not null begin
    insert into fragment_years (task_id, year, fragment_id, stances)
    values (new.task_id, new.year, new.source_id, 1)
    on conflict do update set stances = stances + 1;
end;
create trigger edges_leave_fragment_years after delete on edges
when old.relation in ('supports', 'refutes') and old.year is not null begin
    update fragment_years
    set stances = stances - 1
    where task_id = old.task_id and year = old.year and fragment_id = old.source_id;
    delete from fragment_years
    where task_id = old.task_id and year = old.year and fragment_id = old.source_id and stances = 0;
end;
create trigger edges_change_fragment_years after update of relation, year on edges when new.target_type = 'claim' begin
    update fragment_years
    set stances = stances - 1
    where old.relation in ('supports', 'refutes')
        and task_id = old.task_id and year = old.year and fragment_id = old.source_id;
    delete from fragment_years
    where task_id = old.task_id and year = old.year and fragment_id = old.source_id and stances = 0;
    insert into fragment_years (task_id, year, fragment_id, stances)
    select new.task_id, new.year, new.source_id, 1
    where new.relation in ('supports', 'refutes') and new.year is not null
    on conflict do update set stances = stances + 1;
end;
create trigger fragment_years_enter after insert on fragment_years begin
    insert into task_years (task_id, year, fragments) values (new.task_id, new.year, 1)
    on conflict do update set fragments = fragments + 1;
end;
create trigger fragment_years_leave after delete on fragment_years begin
    update task_years set fragments = fragments - 1 where task_id = old.task_id and year = old.year;
    delete from task_years where task_id = old.task_id and year = old.year and claims = 0 and fragments = 0;
end;

insert into claim_decades (task_id, claim_id, decade, years, support_weight, refute_weight)
select task_id, claim_id, year / 10, count(*), sum(support_weight), sum(refute_weight)
from claim_years
group by task_id, claim_id, year / 10;
insert into task_years (task_id, year, claims, supports, refutes, support_weight, refute_weight)
select task_id, year, count(*), sum(supports), sum(refutes), sum(support_weight), sum(refute_weight)
from claim_years
group by task_id, year;
insert into fragment_years (task_id, year, fragment_id, stances)
select task_id, year, source_id, count(*)
from edges
where relation in ('supports', 'refutes') and year is not null
group by task_id, year, source_id;

-- The years of a claim's evidence in one row: first and last, newest on each side, mean year of a stance, slope of
-- supports per year, and the shares of years with a majority for and against. Follows from `claim_years`, which holds it.
create table claim_spans (
    task_id text not null,
    claim_id text not null,
    earliest_year integer not null,
    latest_year integer not null,
    years integer not null,
    supports integer not null,
    refutes integer not null,
    newest_support integer not null,
    newest_refutation integer not null,
    mean_year real not null,
    slope real,
    share_for real not null,
    share_against real not null,
    primary key (task_id, claim_id)
) strict, without rowid;
create trigger claim_spans_enter after insert on claim_years begin
    delete from claim_spans where task_id = new.task_id and claim_id = new.claim_id;
    insert into claim_spans
    select task_id, claim_id, min(year), max(year), count(*), sum(supports), sum(refutes),
        max(iif(supports, year, 0)), max(iif(refutes, year, 0)),
        sum(year * (supports + refutes)) * 1.0 / sum(supports + refutes),
        (count(*) * sum(year * supports) - sum(year) * sum(supports)) * 1.0
            / nullif(count(*) * sum(year * year) - sum(year) * sum(year), 0),
        sum(supports > refutes) * 1.0 / count(*), sum(supports < refutes) * 1.0 / count(*)
    from claim_years
    where task_id = new.task_id and claim_id = new.claim_id and supports + refutes > 0
    group by task_id, claim_id;
end;
create trigger claim_spans_change after update on claim_years begin
    delete from claim_spans where task_id = new.task_id and claim_id = new.claim_id;
    insert into claim_spans
    select task_id, claim_id, min(year), max(year), count(*), sum(supports), sum(refutes),
        max(iif(supports, year, 0)), max(iif(refutes, year, 0)),
        sum(year * (supports + refutes)) * 1.0 / sum(supports + refutes),
        (count(*) * sum(year * supports) - sum(year) * sum(supports)) * 1.0
            / nullif(count(*) * sum(year * year) - sum(year) * sum(year), 0),
        sum(supports > refutes) * 1.0 / count(*), sum(supports < refutes) * 1.0 / count(*)
    from claim_years
    where task_id = new.task_id and claim_id = new.claim_id and supports + refutes > 0
    group by task_id, claim_id;
end;
create trigger claim_spans_leave after delete on claim_years begin
    delete from claim_spans where task_id = old.task_id and claim_id = old.claim_id;
    insert into claim_spans
    select task_id, claim_id, min(year), max(year), count(*), sum(supports), sum(refutes),
        max(iif(supports, year, 0)), max(iif(refutes, year, 0)),
        sum(year * (supports + refutes)) * 1.0 / sum(supports + refutes),
        (count(*) * sum(year * supports) - sum(year) * sum(supports)) * 1.0
            / nullif(count(*) * sum(year * year) - sum(year) * sum(year), 0),
        sum(supports > refutes) * 1.0 / count(*), sum(supports < refutes) * 1.0 / count(*)
    from claim_years
    where task_id = old.task_id and claim_id = old.claim_id and supports + refutes > 0
    group by task_id, claim_id;
end;
insert into claim_spans
select task_id, claim_id, min(year), max(year), count(*), sum(supports), sum(refutes),
    max(iif(supports, year, 0)), max(iif(refutes, year, 0)),
    sum(year * (supports + refutes)) * 1.0 / sum(supports + refutes),
    (count(*) * sum(year * supports) - sum(year) * sum(supports)) * 1.0
        / nullif(count(*) * sum(year * year) - sum(year) * sum(year), 0),
    sum(supports > refutes) * 1.0 / count(*), sum(supports < refutes) * 1.0 / count(*)
from claim_years
where supports + refutes > 0
group by task_id, claim_id;

-- Fragments that speak in a task (judged, or mentioning a claim) and stances by page, so that status counts rows of these.
create table task_fragments (
    task_id text not null references tasks (id) on delete cascade,
    fragment_id text not null,
    uses integer not null,
    primary key (task_id, fragment_id)
) strict, without rowid;
create table page_stances (
    task_id text not null references tasks (id) on delete cascade,
    page_id text not null,
    supports integer not null,
    refutes integer not null,
    neutrals integer not null,
    primary key (task_id, page_id)
) strict, without rowid;
create trigger edges_enter_digests after insert on edges when new.task_id is not null and new.page_id is not null begin
    insert into task_fragments (task_id, fragment_id, uses) values (new.task_id, new.source_id, 1)
    on conflict do update set uses = uses + 1;
    insert into page_stances (task_id, page_id, supports, refutes, neutrals)
    values (new.task_id, new.page_id, new.relation = 'supports', new.relation = 'refutes', new.relation = 'neutral')
    on conflict do update
    set supports = supports + excluded.supports, refutes = refutes + excluded.refutes,
        neutrals = neutrals + excluded.neutrals;
end;
create trigger edges_leave_digests after delete on edges when old.task_id is not null and old.page_id is not null begin
    update task_fragments set uses = uses - 1 where task_id = old.task_id and fragment_id = old.source_id;
    delete from task_fragments where task_id = old.task_id and fragment_id = old.source_id and uses = 0;
    update page_stances
    set supports = supports - (old.relation = 'supports'), refutes = refutes - (old.relation = 'refutes'),
        neutrals = neutrals - (old.relation = 'neutral')
    where task_id = old.task_id and page_id = old.page_id;
    delete from page_stances
    where task_id = old.task_id and page_id = old.page_id and supports + refutes + neutrals = 0;
end;
create trigger edges_change_digests after update of relation on edges when new.target_type = 'claim' begin
    update page_stances
    set supports = supports + (new.relation = 'supports') - (old.relation = 'supports'),
        refutes = refutes + (new.relation = 'refutes') - (old.relation = 'refutes'),
        neutrals = neutrals + (new.relation = 'neutral') - (old.relation = 'neutral')
    where task_id = new.task_id and page_id = new.page_id;
end;
create trigger claim_mentions_enter_digests after insert on claim_mentions begin
    insert into task_fragments (task_id, fragment_id, uses)
    select task_id, new.fragment_id, 1 from claims where id = new.claim_id
    on conflict do update set uses = uses + 1;
end;
create trigger claim_mentions_leave_digests after delete on claim_mentions begin
    update task_fragments
    set uses = uses - 1
    where fragment_id = old.fragment_id and task_id = (select task_id from claims where id = old.claim_id);
    delete from task_fragments
    where fragment_id = old.fragment_id and uses = 0
        and task_id = (select task_id from claims where id = old.claim_id);
end;
insert into task_fragments (task_id, fragment_id, uses)
select task_id, fragment_id, count(*)
from (
    select task_id, source_id as fragment_id from edges where task_id is not null and source_type = 'fragment'
    union all
    select c.task_id, m.fragment_id from claim_mentions m join claims c on c.id = m.claim_id
)
group by task_id, fragment_id;
insert into page_stances (task_id, page_id, supports, refutes, neutrals)
select task_id, page_id, sum(relation = 'supports'), sum(relation = 'refutes'), sum(relation = 'neutral')
from edges
where task_id is not null and page_id is not null
group by task_id, page_id;

-- Pages of a task that count as one source: one story in one wording, citations in a circle; and pages that cite
-- nobody but their own publisher. Written anew whenever a search ends.
create table page_groups (
    task_id text not null references tasks (id) on delete cascade,
    kind text not null check (kind in ('narrative', 'loop', 'self_reference')),
    group_id text not null,
    page_id text not null references pages (id) on delete cascade,
    primary key (task_id, kind, group_id, page_id)
) strict, without rowid;
create index page_groups_by_page on page_groups (page_id);

-- Vectors of the sentences of a text, so that taking up a task again asks no model. A cache: it may be forgotten.
create table sentence_vectors (
    text_hash text not null,
    model_id text not null,
    vectors blob not null,
    dimension integer not null check (length(vectors) % (4 * dimension) = 0),
    used_at text not null,
    primary key (text_hash, model_id)
) strict;
create index sentence_vectors_by_use on sentence_vectors (used_at);

-- Stances of a fragment, so that what it says of one claim leads quickly to what it says of another.
create index edges_of_fragment on edges (source_id, task_id, target_id, relation, nli_confidence)
    where relation in ('supports', 'refutes');

-- Whether a claim would stand otherwise without a source. Written together with how it would stand.
alter table claim_sources add column is_decisive integer not null default 0 check (is_decisive in (0, 1));
update claim_sources
set is_decisive = verdict_without <> (select verdict from claims where id = claim_id)
    or verification_without <> (select verification_status from claims where id = claim_id)
    or adoption_without <> (select adoption_status from claims where id = claim_id);
create index claim_sources_by_weight on claim_sources (task_id, is_decisive);

-- Who cites whom among what a task reached, directly (hop 1) or through one page between (hop 2). Written anew whenever a
-- search ends: there are a hundred times as many ways of two steps as pages.
create table citation_flows (
    id integer primary key,
    task_id text not null references tasks (id) on delete cascade,
    citing_page_id text not null,
    cited_page_id text not null,
    hop_distance integer not null check (hop_distance in (1, 2)),
    via_page_id text,
    citation_source text
) strict;
insert into citation_flows (task_id, citing_page_id, cited_page_id, hop_distance, via_page_id, citation_source)
select t.task_id, d.source_id, d.target_id, 1, null, d.citation_source
from task_pages t
join edges d on d.source_id = t.page_id and d.relation = 'cites'
union all
select t.task_id, d.source_id, n.target_id, 2, d.target_id, n.citation_source
from task_pages t
join edges d on d.source_id = t.page_id and d.relation = 'cites'
join edges n on n.source_id = d.target_id and n.relation = 'cites' and n.target_id <> d.source_id
where not exists (
    select 1 from edges x where x.source_id = d.source_id and x.target_id = n.target_id and x.relation = 'cites'
);
create index citation_flows_by_citing on citation_flows (task_id, citing_page_id);
create index citation_flows_by_cited on citation_flows (task_id, cited_page_id);
create index citation_flows_by_via on citation_flows (task_id, via_page_id);
create index citation_flows_by_hop on citation_flows (task_id, hop_distance);
create index citation_flows_by_index on citation_flows (task_id, citation_source);
create trigger pages_leave_flows after delete on pages begin
    delete from citation_flows where task_id in (select id from tasks) and citing_page_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and cited_page_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and via_page_id = old.id;
end;
