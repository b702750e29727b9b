-- `confidence`, the verdict and what follows from it count each independent source once; the same update over every
-- distinct text stands beside it. `independent_confidence` stays for those who ask for it: it is `confidence` now.
alter table claims add column text_confidence real not null default 0.5;

-- Copies of sentences: the originals of a fragment that holds sentences of theirs, or was cut out of one. A text that
-- holds two others repeats both, and joins them not; `near_duplicate_of` is the one that its text goes by.
create table contained_originals (
    fragment_id text not null references fragments (id) on delete cascade,
    original_id text not null references fragments (id) on delete cascade,
    primary key (fragment_id, original_id)
) strict, without rowid;
create index contained_originals_by_original on contained_originals (original_id);

-- What the judged words name as their source (works, persons, agencies), as keys; null where nobody has looked.
alter table edges add column origins text check (origins is null or json_valid(origins));

-- Every claim that an older version assessed is assessed anew, task by task; a row goes when its task is done.
create table tasks_to_reassess (
    task_id text primary key references tasks (id) on delete cascade
) strict, without rowid;
insert into tasks_to_reassess (task_id)
select distinct task_id
from claims;
