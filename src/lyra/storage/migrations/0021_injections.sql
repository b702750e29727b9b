-- Text on pages that gives orders to an AI. A page was scanned by `scanner` as it was at `text_version`; each finding has
-- its place, in the page's text or, where `is_hidden`, in what the page hides. The words themselves are not repeated.
create table page_scans (
    page_id text primary key references pages (id) on delete cascade,
    scanner text not null,
    text_version text not null,
    scanned_at text not null
) strict, without rowid;

create table injection_findings (
    id text primary key,
    page_id text not null references pages (id) on delete cascade,
    fragment_id text references fragments (id) on delete set null,
    kind text not null check (kind in ('order', 'disclosure', 'transmission', 'role_marks', 'invisible_characters',
        'stray_request', 'mention', 'obeyed')),
    severity text not null check (severity in ('low', 'medium', 'high')),
    is_hidden integer not null default 0 check (is_hidden in (0, 1)),
    char_start integer not null,
    char_end integer not null,
    score real not null,
    found_at text not null
) strict, without rowid;
create index injection_findings_by_page on injection_findings (page_id);
create index injection_findings_by_fragment on injection_findings (fragment_id);
