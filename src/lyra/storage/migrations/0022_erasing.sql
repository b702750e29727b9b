-- Archive records that the searches of a deleted task had made, so that a hard cleanup of the same task still finds
-- them. `names_query`: its address holds what was asked.
create table deleted_task_records (
    task_id text not null references deleted_tasks (task_id) on delete cascade,
    record_id text not null,
    names_query integer not null default 0 check (names_query in (0, 1)),
    primary key (task_id, record_id)
) strict, without rowid;

-- What hard cleanups have still to do in archive files; a row goes when it is done, so that whoever dies between leaves
-- the rest to the next. `remove`: the record with its request. Of a record that another task needs only what was asked
-- goes: `drop_request` a request that names the result page, `readdress` its request and the query of its address;
-- `readdress_origin` is for a record of another task that names such an address as its origin's.
create table records_to_erase (
    record_id text primary key,
    warc_path text not null,
    action text not null check (action in ('remove', 'drop_request', 'readdress', 'readdress_origin'))
) strict, without rowid;
create index records_to_erase_by_file on records_to_erase (warc_path);
