-- What the archive holds, by address and time. The WARC files are the truth; `lyra archive check --repair` writes this
-- table anew from them.
create table archive_records (
    record_id text primary key,
    kind text not null check (kind in ('response', 'revisit', 'conversion')),
    url text not null,
    url_key text not null,
    archived_at text not null,
    status_code integer,
    media_type text not null default '',
    digest text,
    refers_to text,
    warc_path text not null,
    warc_offset integer not null,
    warc_length integer not null
) strict, without rowid;
create index archive_records_by_address on archive_records (url_key, archived_at);
create index archive_records_by_digest on archive_records (digest) where kind = 'response';
create index archive_records_by_file on archive_records (warc_path);
create index archive_records_by_origin on archive_records (refers_to) where refers_to is not null;
