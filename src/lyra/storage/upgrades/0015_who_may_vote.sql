-- Who may vote (SPEC §13), and trust that follows from the evidence instead of being kept.

-- `is_notice`: the judged text tells of a work's retraction or correction; null where nobody has looked yet.
-- `no_vote`: why the edge has no vote, empty where it votes. It follows from the columns here by one statement
-- (`storage.votes`), which whoever changes one of them runs in the same transaction.
alter table edges add column is_notice integer check (is_notice in (0, 1));
alter table edges add column no_vote text not null default '';
create index edges_without_vote on edges (task_id, no_vote) where no_vote <> '';
-- Views ask who votes: the indexes that answer them alone answer that, too.
drop index edges_of_claim;
create index edges_of_claim on edges (task_id, target_id, relation, nli_confidence desc, source_id, page_id, no_vote)
    where task_id is not null;
drop index edges_of_page;
create index edges_of_page on edges (task_id, relation, page_id, target_id, source_id, no_vote)
    where task_id is not null;
drop index edges_of_fragment;
create index edges_of_fragment on edges (source_id, task_id, target_id, relation, nli_confidence, no_vote)
    where relation in ('supports', 'refutes');
create index edges_not_looked_at on edges (id) where source_type = 'fragment' and is_notice is null;

-- What a page says of itself; `retraction` is null where nobody has looked yet.
alter table pages add column retraction text check (retraction in ('', 'retracted', 'reinstated'));
alter table pages add column retracted_on text;
alter table pages add column is_corrected integer not null default 0 check (is_corrected in (0, 1));
alter table pages add column corrected_on text;
create index pages_not_looked_at on pages (id) where retraction is null;

-- The academic APIs that call the work retracted, joined by +: each can take back its own word only.
alter table works add column retracted_by text not null default '';

-- Claims whose evidence has changed since they were assessed. Whoever assesses one takes it out.
create table stale_claims (
    claim_id text primary key references claims (id) on delete cascade
) strict, without rowid;
insert into stale_claims (claim_id) select id from claims;

-- Domains that a claim lifts from unverified to low while it stands as it does, and the independent sources behind it.
create table promotions (
    claim_id text not null references claims (id) on delete cascade,
    domain text not null,
    sources text not null check (json_valid(sources)),
    reason text not null,
    primary key (claim_id, domain)
) strict, without rowid;
create index promotions_by_domain on promotions (domain);
-- What was kept so far is derived anew when the claims are assessed.
update domains set trust_level = null, trust_reason = '', cause_id = null where trust_level = 'low';
update domains set original_trust_level = null where original_trust_level = 'low';

-- The year of an edge is that of the page as it was read (`storage.votes`): a page that has changed since does not
-- date the words it held before.
drop trigger pages_change_year;

-- The years of a claim hold what votes.
drop trigger stale_years_renew;
create trigger stale_years_renew after insert on stale_years
when exists (select 1 from claims c join tasks t on t.id = c.task_id where c.id = new.claim_id) begin
    insert into claim_years (task_id, claim_id, year, supports, refutes, support_weight, refute_weight)
    select task_id, target_id, first_year, sum(relation = 'supports'), sum(relation = 'refutes'),
        sum(iif(relation = 'supports', weight, 0.0)), sum(iif(relation = 'refutes', weight, 0.0))
    from (
        select e.task_id, e.target_id, e.relation, coalesce(e.nli_confidence, 0.5) as weight,
            min(e.year) over copies as first_year,
            row_number() over (
                copies order by coalesce(e.nli_confidence, 0.5) desc, e.relation = 'supports', e.source_id desc
            ) as place
        from edges e
        join fragments f on f.id = e.source_id
        left join fragments original on original.id = f.near_duplicate_of
        where e.task_id = new.task_id and e.target_id = new.claim_id and e.relation in ('supports', 'refutes')
            and +e.year is not null and e.no_vote = ''
        window copies as (partition by coalesce(original.text_hash, f.text_hash))
    )
    where place = 1
    group by first_year
    on conflict do update
    set supports = excluded.supports, refutes = excluded.refutes, support_weight = excluded.support_weight,
        refute_weight = excluded.refute_weight
    where supports <> excluded.supports or refutes <> excluded.refutes
        or abs(support_weight - excluded.support_weight) > 1e-9
        or abs(refute_weight - excluded.refute_weight) > 1e-9;
    delete from claim_years
    where task_id = new.task_id and claim_id = new.claim_id and year not in (
        select min(e.year)
        from edges e
        join fragments f on f.id = e.source_id
        left join fragments original on original.id = f.near_duplicate_of
        where e.task_id = new.task_id and e.target_id = new.claim_id and e.relation in ('supports', 'refutes')
            and +e.year is not null and e.no_vote = ''
        group by coalesce(original.text_hash, f.text_hash)
    );
end;
drop trigger edges_change_years;
create trigger edges_change_years after update of relation, year, nli_confidence, no_vote on edges
when new.target_type = 'claim' begin
    insert into stale_years (task_id, claim_id) values (new.task_id, new.target_id);
end;
drop trigger edges_leave_years;
create trigger edges_leave_years after delete on edges
when old.relation in ('supports', 'refutes') and old.year is not null and old.no_vote = '' and not exists (
    select 1
    from fragments f
    where f.id = old.source_id and (
        f.near_duplicate_of is not null
        or exists (select 1 from fragments copy where copy.near_duplicate_of = f.id)
        or exists (select 1 from fragments same where same.text_hash = f.text_hash and same.id <> f.id)
    )
) begin
    update claim_years
    set supports = supports - (old.relation = 'supports'), refutes = refutes - (old.relation = 'refutes'),
        support_weight = support_weight - iif(old.relation = 'supports', coalesce(old.nli_confidence, 0.5), 0.0),
        refute_weight = refute_weight - iif(old.relation = 'refutes', coalesce(old.nli_confidence, 0.5), 0.0)
    where task_id = old.task_id and claim_id = old.target_id and year = old.year;
    delete from claim_years
    where task_id = old.task_id and claim_id = old.target_id and year = old.year and supports = 0 and refutes = 0;
end;
drop trigger edges_leave_fragment_years;
create trigger edges_leave_fragment_years after delete on edges
when old.relation in ('supports', 'refutes') and old.year is not null and old.no_vote = '' begin
    update fragment_years
    set stances = stances - 1
    where task_id = old.task_id and year = old.year and fragment_id = old.source_id;
    delete from fragment_years
    where task_id = old.task_id and year = old.year and fragment_id = old.source_id and stances = 0;
end;
drop trigger edges_change_fragment_years;
create trigger edges_change_fragment_years after update of relation, year, no_vote on edges
when new.target_type = 'claim' begin
    update fragment_years
    set stances = stances - 1
    where old.relation in ('supports', 'refutes') and old.no_vote = ''
        and task_id = old.task_id and year = old.year and fragment_id = old.source_id;
    delete from fragment_years
    where task_id = old.task_id and year = old.year and fragment_id = old.source_id and stances = 0;
    insert into fragment_years (task_id, year, fragment_id, stances)
    select new.task_id, new.year, new.source_id, 1
    where new.relation in ('supports', 'refutes') and new.year is not null and new.no_vote = ''
    on conflict do update set stances = stances + 1;
end;
