-- How domains are asked: what was learned of each, what each was asked on a day, and what archives hold of pages.

-- Shares of fetches, the newest weighing most: `_short` with 0.3, `_long` with 0.1 (§4.3, learning by EMA).
create table domain_policies (
    domain text primary key,
    samples integer not null default 0,
    success_short real not null default 1,
    success_long real not null default 1,
    refusal_short real not null default 0,
    refusal_long real not null default 0,
    tor_samples integer not null default 0,
    tor_short real not null default 0.5,
    tor_long real not null default 0.5,
    pause_factor real not null default 1,
    pause_changed_at text,
    pause_direction integer not null default 0,
    rung text,
    rung_reason text,
    rung_until text,
    rung_hits integer not null default 0,
    tor_barred_until text,
    last_challenge text,
    last_challenge_at text,
    updated_at text not null
) strict;

-- Requests of one day (UTC) to one domain by one rung; shares and daily limits are counted from it.
create table fetch_days (
    day text not null,
    domain text not null,
    rung text not null,
    requests integer not null default 0,
    served integer not null default 0,
    refused integer not null default 0,
    primary key (day, domain, rung)
) strict, without rowid;

-- Dated copies of a page in a public archive; `is_copy` where Lyra read the page from it.
create table mementos (
    page_id text not null references pages (id) on delete cascade,
    snapshot_at text not null,
    url text not null,
    is_copy integer not null default 0 check (is_copy in (0, 1)),
    text_content text not null default '',
    differences text not null default '{}' check (json_valid(differences)),
    record_id text,
    fetched_at text not null,
    primary key (page_id, snapshot_at)
) strict, without rowid;

create index event_log_by_change on event_log (subject, id) where kind = 'policy_change';
