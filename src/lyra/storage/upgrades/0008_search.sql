-- How engines fare, which queries were derived from the client's, and which sites can be searched by their own form.

-- Shares of answers over about an hour and a day, newest weighing most; latency likewise, in seconds.
alter table engine_health add column success_1h real not null default 1;
alter table engine_health add column success_24h real not null default 1;
alter table engine_health add column captcha_24h real not null default 0;
alter table engine_health add column drift_24h real not null default 0;
alter table engine_health add column latency_s real;
alter table engine_health add column asked_day text;
alter table engine_health add column asked_today integer not null default 0;

-- Every query that was sent for a search: the client's own (rule `asked`) and what fixed rules made of it.
create table derived_queries (
    id text primary key,
    query_id text not null references queries (id) on delete cascade,
    text text not null,
    parent text not null,
    rule text not null,
    family text not null,
    page integer not null default 1,
    category text not null default 'general',
    engines text not null default '[]' check (json_valid(engines)),
    results integer not null default 0,
    new_results integer not null default 0,
    why text not null default '',
    created_at text not null
) strict;
create index derived_queries_by_search on derived_queries (query_id, created_at);
create index derived_queries_by_time on derived_queries (created_at);

create index serp_items_by_time on serp_items (created_at) where page_id is not null;

-- Sites that are searched through their own form, and how that went.
create table site_searches (
    domain text primary key,
    action text,
    method text not null default 'GET',
    parameter text,
    hidden text not null default '[]' check (json_valid(hidden)),
    needs_browser integer not null default 0 check (needs_browser in (0, 1)),
    successes integer not null default 0,
    failures integer not null default 0,
    failures_in_row integer not null default 0,
    skipped_on text,
    last_reason text,
    updated_at text not null
) strict;
