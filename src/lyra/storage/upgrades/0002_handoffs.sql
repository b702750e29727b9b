-- Pages that only a person can open, and when a search that failed may be tried again.

create table intervention_queue (
    id text primary key,
    task_id text references tasks (id) on delete cascade,
    search_id text references queries (id) on delete cascade,
    domain text not null,
    url text not null,
    auth_type text not null,
    priority text not null default 'normal' check (priority in ('high', 'normal')),
    status text not null default 'pending' check (status in ('pending', 'resolved', 'skipped', 'failed')),
    reason text not null default '',
    queued_at text not null,
    resolved_at text,
    unique (task_id, url)
) strict;
create index intervention_queue_by_status on intervention_queue (status, domain);

alter table queries add column retry_at text;
