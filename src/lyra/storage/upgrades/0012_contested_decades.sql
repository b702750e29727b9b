-- Contested within a decade is what the verdict calls contested (`lyra.model.claim`): seven votes of 0.9 against three are
-- a controversy of 0.3 and not over it, whatever binary fractions make of it. A rule in a stored column cannot be changed,
-- so its table is made anew; the digest of a whole task follows by the triggers.
drop table claim_decades;
create table claim_decades (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    decade integer not null,
    years integer not null,
    support_weight real not null,
    refute_weight real not null,
    is_contested integer not null as (
        coalesce(min(support_weight, refute_weight) / (support_weight + refute_weight) > 0.300000001, 0)
    ) stored,
    primary key (task_id, claim_id, decade)
) strict, without rowid;
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

delete from task_decades;
insert into claim_decades (task_id, claim_id, decade, years, support_weight, refute_weight)
select task_id, claim_id, year / 10, count(*), sum(support_weight), sum(refute_weight)
from claim_years
group by task_id, claim_id, year / 10;
