-- The Evidence Graph and all that the whole path from question to report needs.
-- Column names are those of the design documents; times are UTC stamps such as 2026-01-31T09:30:00.000Z.

create table tasks (
    id text primary key,
    query text not null check (length(query) > 0),
    status text not null check (status in ('created', 'exploring', 'paused', 'completed', 'failed')),
    language text,
    max_pages integer not null check (max_pages >= 0),
    max_seconds real not null check (max_seconds >= 0),
    pages_used integer not null default 0 check (pages_used >= 0),
    seconds_used real not null default 0 check (seconds_used >= 0),
    priority_domains text not null default '[]' check (json_valid(priority_domains)),
    final_status text check (final_status in ('completed', 'partial', 'cancelled')),
    reason text,
    settings_digest text not null default '',
    created_at text not null,
    last_call_at text
) strict;

create table queries (
    id text primary key,
    task_id text not null references tasks (id) on delete cascade,
    query text not null check (length(query) > 0),
    options text not null default '{}' check (json_valid(options)),
    status text not null check (status in ('running', 'satisfied', 'partial', 'exhausted', 'failed', 'cancelled')),
    phase text not null default 'queued',
    reason text,
    error_code text,
    pages_fetched integer not null default 0,
    useful_fragments integer not null default 0,
    harvest_rate real not null default 0,
    satisfaction_score real not null default 0,
    novelty_score real not null default 1,
    independent_sources integer not null default 0,
    has_primary_source integer not null default 0 check (has_primary_source in (0, 1)),
    created_at text not null,
    started_at text,
    finished_at text
) strict;
create index queries_by_task on queries (task_id, created_at);

-- One row per address that a search found; its state is the checkpoint from which a restart goes on.
create table serp_items (
    id text primary key,
    query_id text not null references queries (id) on delete cascade,
    url text not null,
    title text not null default '',
    snippet text not null default '',
    engine text not null,
    rank integer not null,
    result_date text,
    derived_query text,
    referer text,
    score real not null default 0,
    state text not null default 'pending'
        check (state in ('pending', 'fetched', 'reused', 'skipped', 'blocked', 'failed')),
    reason text,
    page_id text,
    created_at text not null,
    unique (query_id, url)
) strict;
create index serp_items_by_state on serp_items (query_id, state, score desc);

create table works (
    id text primary key,
    title text not null,
    abstract text,
    authors text not null default '[]' check (json_valid(authors)),
    year integer,
    published text,
    venue text,
    identifiers text not null default '[]' check (json_valid(identifiers)),
    url text,
    citation_count integer,
    is_retracted integer not null default 0 check (is_retracted in (0, 1)),
    source_api text not null default '',
    updated_at text not null
) strict;

create table pages (
    id text primary key,
    url text not null unique,
    final_url text not null default '',
    domain text not null,
    title text not null default '',
    language text not null default 'und',
    published_date text,
    updated_date text,
    year integer,
    authors text not null default '[]' check (json_valid(authors)),
    page_type text not null default 'article',
    content_hash text not null default '',
    etag text,
    last_modified text,
    warc_path text,
    warc_offset integer,
    warc_length integer,
    warc_record_id text,
    work_id text references works (id),
    paper_metadata text check (paper_metadata is null or json_valid(paper_metadata)),
    quality real not null default 1,
    extractor text not null default '',
    text_content text not null default '',
    fetched_at text not null
) strict;
create index pages_by_domain on pages (domain);
create index pages_by_work on pages (work_id) where work_id is not null;

create table fragments (
    id text primary key,
    page_id text not null references pages (id) on delete cascade,
    text_content text not null check (length(text_content) > 0),
    fragment_type text not null
        check (fragment_type in ('paragraph', 'heading', 'list', 'table', 'quote', 'figure', 'code')),
    heading_context text not null default '',
    heading_hierarchy text not null default '[]' check (json_valid(heading_hierarchy)),
    element_index integer not null default 0,
    position integer not null,
    char_start integer not null,
    char_end integer not null check (char_end > char_start),
    page_number integer,
    text_hash text not null,
    language text not null default 'und',
    near_duplicate_of text references fragments (id) on delete set null,
    created_at text not null,
    unique (page_id, position)
) strict;
create index fragments_by_hash on fragments (text_hash);
create index fragments_by_duplicate on fragments (near_duplicate_of) where near_duplicate_of is not null;

create table resource_index (
    kind text not null check (kind in ('url', 'doi', 'pmid', 'arxiv')),
    value text not null,
    page_id text references pages (id) on delete cascade,
    work_id text references works (id) on delete cascade,
    primary key (kind, value)
) strict, without rowid;

create table claims (
    id text primary key,
    task_id text not null references tasks (id) on delete cascade,
    claim_text text not null check (length(claim_text) > 0),
    language text not null default 'und',
    expected_polarity text not null default 'positive' check (expected_polarity in ('positive', 'negative', 'neutral')),
    granularity text not null default 'atomic' check (granularity in ('atomic', 'compound')),
    is_hypothesis integer not null default 0 check (is_hypothesis in (0, 1)),
    search_id text references queries (id) on delete set null,
    alpha real not null default 1 check (alpha >= 1),
    beta real not null default 1 check (beta >= 1),
    confidence real not null default 0.5 check (confidence between 0 and 1),
    uncertainty real not null default 0.28867513459481287,
    controversy real not null default 0,
    supporting_count integer not null default 0,
    refuting_count integer not null default 0,
    neutral_count integer not null default 0,
    independent_sources integer not null default 0,
    independent_confidence real not null default 0.5,
    report_confidence real not null default 0.5,
    verdict text not null default 'unverified'
        check (verdict in ('contested', 'well_supported', 'supported', 'likely_false', 'unverified')),
    verification_status text not null default 'pending'
        check (verification_status in ('pending', 'verified', 'rejected')),
    verification_reason text not null default '',
    adoption_status text not null default 'pending' check (adoption_status in ('pending', 'adopted', 'not_adopted')),
    adoption_changed_at text,
    refutation_status text not null default 'not_searched'
        check (refutation_status in ('not_searched', 'none_found', 'found')),
    trust_level text,
    has_primary_source integer not null default 0 check (has_primary_source in (0, 1)),
    created_at text not null
) strict;
create index claims_by_task on claims (task_id, report_confidence desc);

create table claim_mentions (
    claim_id text not null references claims (id) on delete cascade,
    fragment_id text not null references fragments (id) on delete cascade,
    quote text not null,
    char_start integer not null,
    char_end integer not null check (char_end > char_start),
    quote_hash text not null,
    primary key (claim_id, fragment_id, char_start)
) strict, without rowid;
create index claim_mentions_by_fragment on claim_mentions (fragment_id);

create table edges (
    id text primary key,
    source_type text not null check (source_type in ('fragment', 'claim', 'page')),
    source_id text not null,
    target_type text not null check (target_type in ('fragment', 'claim', 'page')),
    target_id text not null,
    relation text not null check (relation in ('supports', 'refutes', 'neutral', 'cites')),
    nli_label text,
    nli_confidence real check (nli_confidence is null or nli_confidence between 0 and 1),
    nli_raw real check (nli_raw is null or nli_raw between 0 and 1),
    nli_probabilities text check (nli_probabilities is null or json_valid(nli_probabilities)),
    model_id text,
    calibration_version text,
    source_trust_level text,
    target_trust_level text,
    is_origin integer not null default 0 check (is_origin in (0, 1)),
    quote text,
    cause_id text,
    citation_source text,
    is_influential integer not null default 0 check (is_influential in (0, 1)),
    created_at text not null,
    unique (source_type, source_id, target_type, target_id)
) strict;
create index edges_by_target on edges (target_type, target_id, relation);
create index edges_by_source on edges (source_type, source_id, relation);

create table embeddings (
    id text primary key,
    target_type text not null check (target_type in ('fragment', 'claim')),
    target_id text not null,
    model_id text not null,
    embedding_blob blob not null,
    dimension integer not null,
    created_at text not null,
    unique (target_type, target_id, model_id)
) strict;
create index embeddings_by_type on embeddings (target_type, model_id);

create table domains (
    domain text primary key,
    trust_level text not null default 'unverified'
        check (trust_level in ('primary', 'government', 'academic', 'trusted', 'low', 'unverified', 'blocked')),
    trust_reason text not null default '',
    original_trust_level text,
    blocked_at text,
    cause_id text,
    cooldown_until text,
    failures integer not null default 0,
    last_outcome text,
    updated_at text not null
) strict;

create table engine_health (
    engine text primary key,
    state text not null default 'closed' check (state in ('closed', 'half_open', 'open')),
    failures integer not null default 0,
    open_until text,
    last_outcome text,
    last_reason text,
    updated_at text not null
) strict;

-- Durable work. `lease_owner` names the process that runs a job; a lapsed lease gives it back.
create table jobs (
    id text primary key,
    kind text not null,
    priority integer not null default 0,
    slot text not null default 'network_client',
    state text not null check (state in ('queued', 'running', 'paused', 'done', 'failed', 'cancelled')),
    payload text not null default '{}' check (json_valid(payload)),
    budget text not null default '{}' check (json_valid(budget)),
    task_id text references tasks (id) on delete cascade,
    attempts integer not null default 0,
    lease_owner text,
    lease_until text,
    error text,
    cause_id text,
    created_at text not null,
    started_at text,
    finished_at text
) strict;
create index jobs_by_state on jobs (state, priority desc, created_at);

-- Exclusive use of a name (`domain:…`, `engine:…`) across processes, and when it may be used next.
create table leases (
    name text primary key,
    owner text,
    until text,
    next_at text
) strict;

create table event_log (
    id integer primary key,
    task_id text references tasks (id) on delete cascade,
    search_id text,
    cause_id text,
    kind text not null,
    subject text not null default '',
    details text not null default '{}' check (json_valid(details)),
    created_at text not null
) strict;
create index event_log_by_task on event_log (task_id, id);
create index event_log_by_cause on event_log (cause_id) where cause_id is not null;

create table serp_cache (
    key text primary key,
    answer text not null check (json_valid(answer)),
    created_at text not null
) strict;

create table robots_cache (
    origin text primary key,
    body text not null,
    status_code integer not null,
    fetched_at text not null
) strict;

create virtual table fragments_fts using fts5 (
    text_content,
    heading_context,
    content = 'fragments',
    tokenize = 'lyra'
);
create trigger fragments_fts_insert after insert on fragments begin
    insert into fragments_fts (rowid, text_content, heading_context)
    values (new.rowid, new.text_content, new.heading_context);
end;
create trigger fragments_fts_delete after delete on fragments begin
    insert into fragments_fts (fragments_fts, rowid, text_content, heading_context)
    values ('delete', old.rowid, old.text_content, old.heading_context);
end;

create virtual table claims_fts using fts5 (
    claim_text,
    content = 'claims',
    tokenize = 'lyra'
);
create trigger claims_fts_insert after insert on claims begin
    insert into claims_fts (rowid, claim_text)
    values (new.rowid, new.claim_text);
end;
create trigger claims_fts_delete after delete on claims begin
    insert into claims_fts (claims_fts, rowid, claim_text)
    values ('delete', old.rowid, old.claim_text);
end;
