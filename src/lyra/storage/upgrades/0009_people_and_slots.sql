-- A person in the loop, slots over all processes, and tasks that a person holds back.

-- `decided_for` is what a decision was about: one item, or everything of its domain.
alter table intervention_queue add column decided_for text check (decided_for in ('item', 'domain'));
alter table intervention_queue add column decided_via text;

-- What a person is asked. One that is pending past `expires_at` has timed out; an answer after that is `late`.
create table user_questions (
    id text primary key,
    prompt text not null check (length(prompt) > 0),
    choices text not null default '[]' check (json_valid(choices)),
    asked_at text not null,
    expires_at text not null,
    status text not null default 'pending' check (status in ('pending', 'answered', 'declined', 'late')),
    response text,
    choice_index integer,
    answered_at text,
    answered_via text
) strict;
create index user_questions_by_status on user_questions (status, asked_at);

-- Uses of a slot, held (with a seat) or waiting (without). Slots of one room share its seats: `gpu` and
-- `browser_headful` share a room with one seat, so that the two never run together. A lapsed row is gone.
create table slot_uses (
    use text primary key,
    slot text not null,
    room text not null,
    seat integer check (seat >= 0),
    priority integer not null,
    asked_at text not null,
    until text not null
) strict;
create unique index slot_uses_by_seat on slot_uses (room, seat) where seat is not null;

-- A task that a person holds back is not worked on before it is resumed, whoever asks for it.
alter table tasks add column held_at text;

-- Parameters of the whole machine that adapt: the value in force, when and which way it was last turned, the moving
-- averages behind it, and the last entry of the journal that they have seen.
create table knobs (
    name text primary key,
    value real not null,
    turned_at text,
    direction integer not null default 0 check (direction in (-1, 0, 1)),
    short real not null,
    long real not null,
    samples integer not null default 0,
    event_id integer not null default 0,
    updated_at text not null
) strict;
