-- The user's own documents. A library is a folder, a bibliography or a Zotero folder. Paths are bytes: not every file
-- system has names in UTF-8.
create table libraries (
    id text primary key,
    name text not null unique check (length(name) > 0),
    path blob not null unique,
    kind text not null check (kind in ('folder', 'references', 'zotero')),
    added_at text not null,
    scanned_at text,
    problem text
) strict;

create table library_files (
    seq integer primary key,
    library_id text not null references libraries (id) on delete cascade,
    path blob not null,
    size_bytes integer not null,
    mtime_ns integer not null,
    state text not null check (state in ('indexed', 'waiting', 'failed')),
    reason text,
    unique (library_id, path)
) strict;
create index library_files_by_state on library_files (library_id, state);

-- A document is known by the content it was first seen with: it stays the same when its file moves or is edited.
-- `entry` is the text of an entry of a bibliography; of other documents the file has the bytes. `work` is JSON.
create table library_documents (
    seq integer primary key,
    key text not null unique,
    url text not null unique,
    content_hash text not null,
    content_type text not null,
    title text not null,
    text_content text not null,
    language text not null,
    published_date text,
    authors text not null,
    work text,
    entry text
) strict;
create index library_documents_by_hash on library_documents (content_hash);

-- Which documents a file holds, and where: a mailbox and a bibliography hold many.
create table library_parts (
    file_seq integer not null references library_files (seq) on delete cascade,
    place integer not null,
    length integer,
    key text not null references library_documents (key) on delete cascade,
    primary key (file_seq, place)
) strict, without rowid;
create index library_parts_by_key on library_parts (key);

-- Where the document of a page lies now; kept for what tasks cite when its library is removed.
create table page_files (
    page_id text primary key references pages (id) on delete cascade,
    url text not null,
    path text not null,
    gone_at text
) strict, without rowid;
create index page_files_by_url on page_files (url);

-- The archive also keeps files, as WARC resources.
create table archive_records_with_files (
    record_id text primary key,
    kind text not null check (kind in ('response', 'revisit', 'conversion', 'resource')),
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
insert into archive_records_with_files
select record_id, kind, url, url_key, archived_at, status_code, media_type, digest, refers_to, warc_path, warc_offset,
    warc_length
from archive_records;
drop table archive_records;
alter table archive_records_with_files rename to archive_records;
create index archive_records_by_address on archive_records (url_key, archived_at);
create index archive_records_by_digest on archive_records (digest) where kind = 'response';
create index archive_records_by_file on archive_records (warc_path);
create index archive_records_by_origin on archive_records (refers_to) where refers_to is not null;

create virtual table library_fts using fts5 (
    title,
    text_content,
    content = 'library_documents',
    content_rowid = 'seq',
    tokenize = 'lyra'
);
create trigger library_fts_insert after insert on library_documents begin
    insert into library_fts (rowid, title, text_content)
    values (new.seq, new.title, new.text_content);
end;
create trigger library_fts_delete after delete on library_documents begin
    insert into library_fts (library_fts, rowid, title, text_content)
    values ('delete', old.seq, old.title, old.text_content);
end;
create trigger library_fts_update after update of title, text_content on library_documents
when old.title <> new.title or old.text_content <> new.text_content begin
    insert into library_fts (library_fts, rowid, title, text_content)
    values ('delete', old.seq, old.title, old.text_content);
    insert into library_fts (rowid, title, text_content)
    values (new.seq, new.title, new.text_content);
end;
