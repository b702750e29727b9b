-- What a person or a client says of an edge, having read it. The review in force decides `relation` and
-- `nli_confidence` of its edge; what reader and rules had made of it stays on the edge (`nli_label`, probabilities,
-- `rule`) and here (`judged_relation`, `judged_confidence`), so that taking a review back restores it exactly.
-- `earlier_sample` is a sample of calibration that the first review of an edge replaced, and that undoing brings back.
create table reviews (
    seq integer primary key autoincrement,
    id text not null unique,
    edge_id text not null references edges (id) on delete cascade,
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null,
    actual text not null check (actual in ('supports', 'refutes', 'neutral')),
    reason text not null default '',
    reviewer text not null,
    judged_relation text not null check (judged_relation in ('supports', 'refutes', 'neutral')),
    judged_confidence real check (judged_confidence is null or judged_confidence between 0 and 1),
    state text not null default 'in_force' check (state in ('in_force', 'replaced', 'undone')),
    ended_at text,
    earlier_sample text check (earlier_sample is null or json_valid(earlier_sample)),
    created_at text not null,
    check ((state = 'in_force') = (ended_at is null))
) strict;
create unique index reviews_in_force on reviews (edge_id) where state = 'in_force';
create index reviews_by_edge on reviews (edge_id, seq);
create index reviews_by_task on reviews (task_id, seq);
create index reviews_by_claim on reviews (claim_id) where state = 'in_force';

-- What is still to be reviewed, one row for each claim, independent source and relation: the edge to look at, how sure
-- its result is, and whether another relation would change the claim's verdict. Written and taken away together with
-- `claim_sources`, by the same functions.
create table review_queue (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    source text not null,
    relation text not null check (relation in ('supports', 'refutes', 'neutral')),
    edge_id text not null references edges (id) on delete cascade,
    edges integer not null check (edges > 0),
    probability real not null check (probability between 0 and 1),
    turns_verdict integer not null check (turns_verdict in (0, 1)),
    primary key (claim_id, source, relation)
) strict, without rowid;
create index review_queue_by_task on review_queue (task_id, turns_verdict desc, probability, claim_id, source, relation);
create index review_queue_by_edge on review_queue (edge_id);

-- Whether a refute search that concerns the claim has come to its end: a refutation that a review takes back leaves the
-- claim as one for which none was found. Before, this was known only while none had been found.
alter table claims add column refute_searched integer not null default 0 check (refute_searched in (0, 1));
update claims set refute_searched = 1 where refutation_status = 'none_found';
