-- One table of leases, and one record of how domains, engines and APIs answer.

-- Exclusive use of a name until it is given back or lapses, over all processes; `next_at` is when it may be used next.
-- Names: `domain:…`, `engine:…`, `api:…`, `page:…`; `job:ID`; `slot:ROOM/SEAT`, and `line:ROOM/USE` for one who waits for
-- a seat. Slots of one room share its seats: `gpu` and `browser_headful` share a room with one seat, so that the two
-- never run together. Only seats and places in line have a slot, a priority and the time of asking.
alter table leases add column slot text;
alter table leases add column priority integer;
alter table leases add column asked_at text;
create index leases_by_owner on leases (owner) where owner is not null;
insert into leases (name, owner, until, slot, priority, asked_at)
select iif(seat is null, 'line:' || room || '/' || use, 'slot:' || room || '/' || seat), use, until, slot, priority,
    asked_at
from slot_uses;
drop table slot_uses;
insert into leases (name, owner, until)
select 'job:' || id, lease_owner, lease_until
from jobs
where lease_owner is not null;
alter table jobs drop column lease_owner;
alter table jobs drop column lease_until;

-- How what we ask answers: `domain:…`, `engine:…`, `api:…`. Nothing is asked before `open_until`; `failures` counts those
-- in a row. Shares of answers over about an hour and a day, newest weighing most; latency likewise, in seconds.
create table service_health (
    name text primary key,
    state text not null default 'closed' check (state in ('closed', 'half_open', 'open')),
    failures integer not null default 0,
    open_until text,
    last_outcome text,
    last_reason text,
    updated_at text not null,
    success_1h real not null default 1,
    success_24h real not null default 1,
    captcha_24h real not null default 0,
    drift_24h real not null default 0,
    latency_s real,
    asked_day text,
    asked_today integer not null default 0
) strict;
insert into service_health (name, state, failures, open_until, last_outcome, last_reason, updated_at, success_1h,
    success_24h, captcha_24h, drift_24h, latency_s, asked_day, asked_today)
select 'engine:' || engine, state, failures, open_until, last_outcome, last_reason, updated_at, success_1h, success_24h,
    captcha_24h, drift_24h, latency_s, asked_day, asked_today
from engine_health;
drop table engine_health;
insert into service_health (name, state, failures, open_until, last_outcome, updated_at)
select 'domain:' || domain, iif(cooldown_until is null, 'closed', 'open'), failures, cooldown_until, last_outcome,
    updated_at
from domains
where cooldown_until is not null or failures > 0 or last_outcome is not null;

-- `trust_level` is null until something was decided about the domain here: the list of known domains holds.
create table domain_trust (
    domain text primary key,
    trust_level text
        check (trust_level in ('primary', 'government', 'academic', 'trusted', 'low', 'unverified', 'blocked')),
    trust_reason text not null default '',
    original_trust_level text,
    blocked_at text,
    cause_id text,
    updated_at text not null
) strict;
insert into domain_trust (domain, trust_level, trust_reason, original_trust_level, blocked_at, cause_id, updated_at)
select domain, trust_level, trust_reason, original_trust_level, blocked_at, cause_id, updated_at
from domains
where trust_level is not null or trust_reason <> '' or original_trust_level is not null or blocked_at is not null
    or cause_id is not null or (cooldown_until is null and failures = 0 and last_outcome is null);
drop table domains;

-- What is known of a domain, as clients read it.
create view domains as
select t.domain, t.trust_level, t.trust_reason, t.original_trust_level, t.blocked_at, t.cause_id,
    h.open_until as cooldown_until, coalesce(h.failures, 0) as failures, h.last_outcome,
    max(t.updated_at, coalesce(h.updated_at, '')) as updated_at
from domain_trust t
left join service_health h on h.name = 'domain:' || t.domain
union all
select substr(h.name, 8), null, '', null, null, null, h.open_until, h.failures, h.last_outcome, h.updated_at
from service_health h
where h.name >= 'domain:' and h.name < 'domain;'
    and not exists (select 1 from domain_trust t where t.domain = substr(h.name, 8));
