-- What follows from edges is written by `storage.derived`, in the transaction that writes the edges: the triggers that kept
-- it go. Triggers stay for full text and for what goes with a deleted row. Every figure that they kept stays as it is.
--
-- An older Lyra that has the file open must not write edges from which nothing follows any more: it writes through
-- `stale_years` and `stale_claims`, and without these tables its transactions are refused as a whole.

drop trigger edges_enter_years;
drop trigger edges_leave_years;
drop trigger edges_leave_years_of_copies;
drop trigger edges_change_years;
drop trigger edges_enter_fragment_years;
drop trigger edges_leave_fragment_years;
drop trigger edges_change_fragment_years;
drop trigger edges_enter_digests;
drop trigger edges_leave_digests;
drop trigger edges_change_digests;
drop trigger edges_reach_pages;
drop trigger fragments_repeat_years;
drop trigger claim_mentions_reach_pages;
drop trigger claim_mentions_enter_digests;
drop trigger claim_mentions_leave_digests;
drop trigger serp_items_reach_pages;
drop trigger serp_items_reach_later;
drop trigger page_links_enter_references;
drop trigger page_links_leave_references;
drop trigger task_pages_enter_references;
drop trigger task_pages_leave_references;

-- Only triggers read these tables, and their own triggers go with them: the fragments of a year and the claims of a
-- decade are counted from `edges` and `claim_years`.
drop table stale_years;
drop table fragment_years;
drop table claim_decades;
drop index edges_by_year;
create index edges_by_year on edges (task_id, year, source_id, relation, no_vote)
    where relation in ('supports', 'refutes');

create table claims_to_assess (
    claim_id text primary key references claims (id) on delete cascade
) strict, without rowid;
insert into claims_to_assess (claim_id) select claim_id from stale_claims;
drop table stale_claims;

-- The years of a claim go with it by a trigger that finds them by their key; the reference read all rows for every claim.
create temporary table kept_years as select * from claim_years;
drop table claim_years;
create table claim_years (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null,
    year integer not null,
    supports integer not null,
    refutes integer not null,
    support_weight real not null,
    refute_weight real not null,
    primary key (task_id, claim_id, year)
) strict, without rowid;
insert into claim_years select * from kept_years;
drop table kept_years;
create index claim_years_by_year on claim_years (task_id, year, supports, refutes, support_weight, refute_weight);
create index claim_years_by_decade on claim_years (task_id, year / 10, claim_id, support_weight, refute_weight);

-- Nobody reads how often a fragment is used.
create temporary table kept_fragments as select task_id, fragment_id from task_fragments;
drop table task_fragments;
create table task_fragments (
    task_id text not null references tasks (id) on delete cascade,
    fragment_id text not null,
    primary key (task_id, fragment_id)
) strict, without rowid;
insert into task_fragments select * from kept_fragments;
drop table kept_fragments;

drop trigger fragments_leave_edges;
create trigger fragments_leave after delete on fragments begin
    delete from edges where source_type = 'fragment' and source_id = old.id;
    delete from embeddings where target_type = 'fragment' and target_id = old.id;
    delete from task_fragments where task_id in (select id from tasks) and fragment_id = old.id;
end;
drop trigger claims_leave_edges;
create trigger claims_leave after delete on claims begin
    delete from edges where target_type = 'claim' and target_id = old.id;
    delete from embeddings where target_type = 'claim' and target_id = old.id;
    delete from claim_years where task_id = old.task_id and claim_id = old.id;
    delete from claim_spans where task_id = old.task_id and claim_id = old.id;
end;
drop trigger pages_leave_edges;
drop trigger pages_leave_flows;
create trigger pages_leave after delete on pages begin
    delete from edges where source_type = 'page' and source_id = old.id;
    delete from edges where target_type = 'page' and target_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and citing_page_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and cited_page_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and via_page_id = old.id;
    delete from page_stances where task_id in (select id from tasks) and page_id = old.id;
end;
