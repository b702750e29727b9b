-- Organisations, people, domains and whatever else records of registries name.
create table entities (
    id text primary key,
    kind text not null,
    name text not null,
    created_at text not null
) strict;

-- All that an entity is recognised by, each as a page says it: names, official numbers, addresses, domains. `value` is
-- the normal form that is compared, `shown` the words of the record.
create table entity_keys (
    entity_id text not null references entities (id) on delete cascade,
    page_id text not null references pages (id) on delete cascade,
    scheme text not null,
    value text not null,
    shown text not null,
    primary key (entity_id, scheme, value, page_id)
) strict, without rowid;
create index entity_keys_by_value on entity_keys (scheme, value);
create index entity_keys_by_page on entity_keys (page_id);

-- What a record states of an entity; `object_id` where the value is an entity itself. The words stand at `char_start` to
-- `char_end` of the fragment.
create table entity_facts (
    id text primary key,
    subject_id text not null references entities (id) on delete cascade,
    predicate text not null,
    value text not null,
    object_id text references entities (id) on delete set null,
    registry text not null,
    page_id text not null references pages (id) on delete cascade,
    fragment_id text not null references fragments (id) on delete cascade,
    quote text not null,
    char_start integer not null,
    char_end integer not null,
    created_at text not null
) strict;
create index entity_facts_by_subject on entity_facts (subject_id);
create index entity_facts_by_object on entity_facts (object_id);
create index entity_facts_by_page on entity_facts (page_id);
create index entity_facts_by_fragment on entity_facts (fragment_id);

-- Two entities that may be one, with an estimate and its reasons (a list in JSON).
create table same_entities (
    first_id text not null references entities (id) on delete cascade,
    second_id text not null references entities (id) on delete cascade,
    score real not null check (score between 0 and 1),
    reasons text not null check (json_valid(reasons)),
    primary key (first_id, second_id),
    check (first_id < second_id)
) strict, without rowid;
create index same_entities_by_second on same_entities (second_id);

-- An entity goes with the last fact that names it.
create trigger entity_facts_leave after delete on entity_facts begin
    delete from entities
    where id in (old.subject_id, old.object_id)
        and not exists (select 1 from entity_facts f where f.subject_id = entities.id)
        and not exists (select 1 from entity_facts f where f.object_id = entities.id);
end;
