-- People with a token of a shared server. Of a token only its hash is kept. A revoked person stays, because tasks and
-- reviews name people.
create table people (
    id text primary key,
    name text not null unique check (length(name) > 0),
    role text not null check (role in ('reader', 'researcher', 'admin')),
    token_hash text not null unique,
    created_at text not null,
    last_used_at text,
    revoked_at text
) strict;

-- A task without an owner belongs to the admins; one that is shared is seen by everyone with a token.
alter table tasks add column owner text references people (id);
alter table tasks add column is_shared integer not null default 0 check (is_shared in (0, 1));
