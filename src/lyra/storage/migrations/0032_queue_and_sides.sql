-- The queue lies in its own order, so that its view need not sort it, and can be counted without being read.
create temp table kept_queue as select * from review_queue;
drop table review_queue;
create table review_queue (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    source text not null,
    relation text not null check (relation in ('supports', 'refutes', 'neutral')),
    edge_id text not null references edges (id) on delete cascade,
    edges integer not null check (edges > 0),
    probability real not null check (probability between 0 and 1),
    turns_verdict integer not null check (turns_verdict in (0, 1)),
    primary key (task_id, turns_verdict desc, probability, claim_id, source, relation),
    unique (source, relation, claim_id)
) strict, without rowid;
create index review_queue_by_claim on review_queue (claim_id, turns_verdict desc, probability, source, relation);
create index review_queue_by_edge on review_queue (edge_id);
insert into review_queue (task_id, claim_id, source, relation, edge_id, edges, probability, turns_verdict)
select task_id, claim_id, source, relation, edge_id, edges, probability, turns_verdict
from temp.kept_queue;
drop table temp.kept_queue;

-- Claims with voting evidence on both sides, on different pages, and each side's strongest edge. Of a page that speaks
-- for and against only its stronger side counts; on equal strength the doubt is kept.
create table claim_sides (
    claim_id text primary key references claims (id) on delete cascade,
    task_id text not null references tasks (id) on delete cascade,
    supporting_edge_id text not null,
    refuting_edge_id text not null
) strict, without rowid;
create index claim_sides_by_task on claim_sides (task_id);
insert into claim_sides (claim_id, task_id, supporting_edge_id, refuting_edge_id)
select id, task_id, supporting, refuting
from (
    select c.id, c.task_id, (
        select e.id
        from edges e
        where e.task_id = c.task_id and e.target_id = c.id and e.relation = 'supports' and e.no_vote = ''
            and not exists (
            select 1
            from edges o
            where o.task_id = c.task_id and o.target_id = c.id and o.relation = 'refutes' and o.no_vote = ''
                and o.page_id = e.page_id and coalesce(o.nli_confidence, 0.5) >= coalesce(e.nli_confidence, 0.5)
        )
        order by e.nli_confidence desc, e.source_id
        limit 1
    ) as supporting, (
        select e.id
        from edges e
        where e.task_id = c.task_id and e.target_id = c.id and e.relation = 'refutes' and e.no_vote = ''
            and not exists (
            select 1
            from edges o
            where o.task_id = c.task_id and o.target_id = c.id and o.relation = 'supports' and o.no_vote = ''
                and o.page_id = e.page_id and coalesce(o.nli_confidence, 0.5) > coalesce(e.nli_confidence, 0.5)
        )
        order by e.nli_confidence desc, e.source_id
        limit 1
    ) as refuting
    from claims c
)
where supporting is not null and refuting is not null;
