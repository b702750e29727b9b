-- A text counts once in the years of a claim too: of near-duplicates and exact copies only the strongest stance, in the
-- year of the earliest. Otherwise a wire story and its reprints would look like a growing consensus.

-- Writing a claim here has its years counted anew from its edges; only years that change are touched, and no row stays.
-- New edges are counted as they come, and those of copies are looked through once for all that enter together
-- (`storage.edges`): a trigger for every edge would cost all of them a third more.
create table stale_years (
    task_id text not null,
    claim_id text not null
) strict;
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
            and +e.year is not null
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
            and +e.year is not null
        group by coalesce(original.text_hash, f.text_hash)
    );
end;
create trigger stale_years_rest after insert on stale_years begin
    delete from stale_years where rowid = new.rowid;
end;

drop trigger edges_leave_years;
create trigger edges_leave_years after delete on edges
when old.relation in ('supports', 'refutes') and old.year is not null and not exists (
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
create trigger edges_leave_years_of_copies after delete on edges
when old.relation in ('supports', 'refutes') and old.year is not null and exists (
    select 1
    from fragments f
    where f.id = old.source_id and (
        f.near_duplicate_of is not null
        or exists (select 1 from fragments copy where copy.near_duplicate_of = f.id)
        or exists (select 1 from fragments same where same.text_hash = f.text_hash and same.id <> f.id)
    )
) begin
    insert into stale_years (task_id, claim_id) values (old.task_id, old.target_id);
end;
drop trigger edges_change_years;
create trigger edges_change_years after update of relation, year, nli_confidence on edges
when new.target_type = 'claim' begin
    insert into stale_years (task_id, claim_id) values (new.task_id, new.target_id);
end;
create trigger fragments_repeat_years after update of near_duplicate_of on fragments
when old.near_duplicate_of is not new.near_duplicate_of begin
    insert into stale_years (task_id, claim_id)
    select distinct task_id, target_id
    from edges
    where source_type = 'fragment' and source_id = new.id and relation in ('supports', 'refutes')
        and year is not null;
end;

insert into stale_years (task_id, claim_id)
select distinct task_id, target_id
from edges
where target_type = 'claim' and relation in ('supports', 'refutes') and year is not null;
