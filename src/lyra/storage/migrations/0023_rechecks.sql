-- Work may be due later: before `due_at` no process takes the job up.
alter table jobs add column due_at text;
create index jobs_by_due on jobs (due_at) where state = 'queued' and due_at is not null;

-- A search that repeats another one (`repeats_id`) for a run of a recheck: it takes nothing from a cache that is older
-- than that run, and its pages and seconds count against the run's budget.
alter table queries add column recheck_id text;
alter table queries add column repeats_id text;
create index queries_by_recheck on queries (recheck_id) where recheck_id is not null;
create index queries_by_repeated on queries (repeats_id) where repeats_id is not null;

-- Tasks whose searches are repeated; `snapshot` is how the task stood when it was last reported on.
create table rechecks (
    task_id text primary key references tasks (id) on delete cascade,
    every_s integer not null check (every_s > 0),
    max_pages integer not null check (max_pages > 0),
    max_seconds real not null check (max_seconds > 0),
    snapshot text not null check (json_valid(snapshot)),
    created_at text not null
) strict;

-- One repetition each. `waiting` is one that could not reach the network and is tried again.
create table recheck_runs (
    id text primary key,
    task_id text not null references tasks (id) on delete cascade,
    state text not null check (state in ('running', 'waiting', 'done', 'failed')),
    due_at text not null,
    started_at text not null,
    finished_at text,
    max_pages integer not null,
    max_seconds real not null,
    pages_used integer not null default 0,
    seconds_used real not null default 0,
    reason text,
    report text check (json_valid(report))
) strict;
create index recheck_runs_by_task on recheck_runs (task_id, started_at);

-- The feed of reports is known by this id for as long as the data directory lives.
insert into meta (key, value) values ('feed_id', lower(hex(randomblob(16))));
