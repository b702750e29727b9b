-- The Evidence Graph and all that the whole path from question to report needs.
-- Column names are those of the design documents; times are UTC stamps such as 2026-01-31T09:30:00.000Z.
-- `seq` is an explicit row number where another structure (full-text index, vector index) refers to rows by it:
-- an implicit one may change when the file is compacted.

-- Facts about the file itself, such as the digest of the views it holds.
create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

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
    warnings text not null default '[]' check (json_valid(warnings)),
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
        check (state in ('pending', 'fetched', 'reused', 'abstract', 'skipped', 'blocked', 'failed')),
    reason text,
    page_id text references pages (id) on delete set null,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    unique (query_id, url)
) strict;
create index serp_items_by_state on serp_items (query_id, state, score desc);
create index serp_items_by_page on serp_items (page_id) where page_id is not null;

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
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
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

-- What a changed page looked like when a fragment that is still evidence was read from it.
create table page_versions (
    page_id text not null references pages (id) on delete cascade,
    text_version text not null,
    text_content text not null,
    published_date text,
    updated_date text,
    warc_path text,
    warc_offset integer,
    warc_length integer,
    warc_record_id text,
    fetched_at text not null,
    primary key (page_id, text_version)
) strict, without rowid;

-- A fragment's words never change. When its page does, a fragment that is evidence stays, `superseded_at` set;
-- `text_version` (a hash of the page's text) names the version of the page into whose text the offsets point.
create table fragments (
    seq integer primary key,
    id text not null unique,
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
    text_version text not null default '',
    superseded_at text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) strict;
create unique index fragments_by_page on fragments (page_id, position) where superseded_at is null;
create index fragments_superseded on fragments (page_id) where superseded_at is not null;
create trigger fragments_keep_words before update of text_content on fragments
when old.text_content <> new.text_content begin
    select raise(abort, 'the words of a fragment never change');
end;
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
    seq integer primary key,
    id text not null unique,
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
create index claims_by_search on claims (search_id) where search_id is not null;

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

-- `task_id` (of the claim), `page_id` and `year` (of the fragment's page) repeat what the ends of a stance edge say,
-- so that asking about a task reads one index instead of joining four tables.
create table edges (
    id text primary key,
    source_type text not null check (source_type in ('fragment', 'claim', 'page')),
    source_id text not null,
    target_type text not null check (target_type in ('fragment', 'claim', 'page')),
    target_id text not null,
    relation text not null check (relation in ('supports', 'refutes', 'neutral', 'cites')),
    task_id text references tasks (id) on delete cascade,
    page_id text references pages (id) on delete cascade,
    year integer,
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
    unique (source_type, source_id, target_type, target_id),
    check ((relation = 'cites') = (source_type = 'page' and target_type = 'page')),
    check (target_type <> 'claim' or task_id is not null),
    check (source_type <> 'fragment' or page_id is not null)
) strict;
create index edges_by_target on edges (target_type, target_id);
create index edges_by_page on edges (page_id, task_id) where page_id is not null;
create index edges_of_claim on edges (task_id, target_id, relation, nli_confidence desc, source_id, page_id)
    where task_id is not null;
create index edges_of_page on edges (task_id, relation, page_id, target_id, source_id) where task_id is not null;
create index edges_by_year on edges (task_id, year, source_id, relation) where relation in ('supports', 'refutes');
create index edges_origins on edges (task_id, target_id, source_id) where is_origin = 1;
create index edges_cites on edges (source_id, target_id) where relation = 'cites';
create index edges_cited on edges (target_id, source_id) where relation = 'cites';
create trigger pages_change_year after update of year on pages when old.year is not new.year begin
    update edges set year = new.year where page_id = new.id;
end;

-- Stances on a claim by the year their pages were published: a digest of `edges` that triggers keep.
create table claim_years (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    year integer not null,
    supports integer not null,
    refutes integer not null,
    support_weight real not null,
    refute_weight real not null,
    primary key (task_id, claim_id, year)
) strict, without rowid;
create index claim_years_by_year on claim_years (task_id, year, supports, refutes, support_weight, refute_weight);
create index claim_years_by_decade on claim_years (task_id, year / 10, claim_id, support_weight, refute_weight);
create trigger edges_enter_years after insert on edges
when new.relation in ('supports', 'refutes') and new.year is not null begin
    insert into claim_years (task_id, claim_id, year, supports, refutes, support_weight, refute_weight)
    values (new.task_id, new.target_id, new.year, new.relation = 'supports', new.relation = 'refutes',
        iif(new.relation = 'supports', coalesce(new.nli_confidence, 0.5), 0.0),
        iif(new.relation = 'refutes', coalesce(new.nli_confidence, 0.5), 0.0))
    on conflict do update
    set supports = supports + excluded.supports, refutes = refutes + excluded.refutes,
        support_weight = support_weight + excluded.support_weight,
        refute_weight = refute_weight + excluded.refute_weight;
end;
create trigger edges_leave_years after delete on edges
when old.relation in ('supports', 'refutes') and old.year is not null begin
    update claim_years
    set supports = supports - (old.relation = 'supports'), refutes = refutes - (old.relation = 'refutes'),
        support_weight = support_weight - iif(old.relation = 'supports', coalesce(old.nli_confidence, 0.5), 0.0),
        refute_weight = refute_weight - iif(old.relation = 'refutes', coalesce(old.nli_confidence, 0.5), 0.0)
    where task_id = old.task_id and claim_id = old.target_id and year = old.year;
    delete from claim_years
    where task_id = old.task_id and claim_id = old.target_id and year = old.year and supports = 0 and refutes = 0;
end;
create trigger edges_change_years after update of relation, year, nli_confidence on edges
when new.target_type = 'claim' begin
    delete from claim_years where task_id = new.task_id and claim_id = new.target_id;
    insert into claim_years (task_id, claim_id, year, supports, refutes, support_weight, refute_weight)
    select task_id, target_id, year, sum(relation = 'supports'), sum(relation = 'refutes'),
        sum(iif(relation = 'supports', coalesce(nli_confidence, 0.5), 0.0)),
        sum(iif(relation = 'refutes', coalesce(nli_confidence, 0.5), 0.0))
    from edges
    where task_id = new.task_id and target_id = new.target_id and relation in ('supports', 'refutes')
        and year is not null
    group by year;
end;

-- Pages that a task reached: found by a search, mentioning a claim or judged. Triggers keep it.
create table task_pages (
    task_id text not null references tasks (id) on delete cascade,
    page_id text not null references pages (id) on delete cascade,
    primary key (task_id, page_id)
) strict, without rowid;
create index task_pages_by_page on task_pages (page_id);
create trigger edges_reach_pages after insert on edges when new.task_id is not null and new.page_id is not null begin
    insert into task_pages (task_id, page_id) values (new.task_id, new.page_id) on conflict do nothing;
end;
create trigger claim_mentions_reach_pages after insert on claim_mentions begin
    insert into task_pages (task_id, page_id)
    select c.task_id, f.page_id from claims c, fragments f where c.id = new.claim_id and f.id = new.fragment_id
    on conflict do nothing;
end;
create trigger serp_items_reach_pages after insert on serp_items when new.page_id is not null begin
    insert into task_pages (task_id, page_id)
    select task_id, new.page_id from queries where id = new.query_id
    on conflict do nothing;
end;
create trigger serp_items_reach_later after update of page_id on serp_items when new.page_id is not null begin
    insert into task_pages (task_id, page_id)
    select task_id, new.page_id from queries where id = new.query_id
    on conflict do nothing;
end;

-- Edges and embeddings name their ends by kind and id, so triggers stand in for foreign keys.
create trigger fragments_leave_edges after delete on fragments begin
    delete from edges where source_type = 'fragment' and source_id = old.id;
    delete from embeddings where target_type = 'fragment' and target_id = old.id;
end;
create trigger claims_leave_edges after delete on claims begin
    delete from edges where target_type = 'claim' and target_id = old.id;
    delete from embeddings where target_type = 'claim' and target_id = old.id;
end;
create trigger pages_leave_edges after delete on pages begin
    delete from edges where source_type = 'page' and source_id = old.id;
    delete from edges where target_type = 'page' and target_id = old.id;
end;

create table embeddings (
    seq integer primary key autoincrement,
    id text not null unique,
    target_type text not null check (target_type in ('fragment', 'claim')),
    target_id text not null,
    model_id text not null,
    embedding_blob blob not null,
    dimension integer not null check (length(embedding_blob) = 4 * dimension),
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    unique (target_type, target_id, model_id)
) strict;
create index embeddings_by_type on embeddings (target_type, model_id, seq);

-- A vector index held in memory reads what was added since its last `seq`; what was taken away it learns from here.
create table embedding_removals (
    target_type text primary key,
    count integer not null default 0
) strict, without rowid;
insert into embedding_removals (target_type) values ('fragment'), ('claim');
create trigger embeddings_count_removals after delete on embeddings begin
    update embedding_removals set count = count + 1 where target_type = old.target_type;
end;

-- `trust_level` is null until something was decided about the domain here: the list of known domains holds.
create table domains (
    domain text primary key,
    trust_level text
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
create index jobs_by_task on jobs (task_id, created_at) where task_id is not null;

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
    content_rowid = 'seq',
    tokenize = 'lyra'
);
create trigger fragments_fts_insert after insert on fragments begin
    insert into fragments_fts (rowid, text_content, heading_context)
    values (new.seq, new.text_content, new.heading_context);
end;
create trigger fragments_fts_delete after delete on fragments begin
    insert into fragments_fts (fragments_fts, rowid, text_content, heading_context)
    values ('delete', old.seq, old.text_content, old.heading_context);
end;
create trigger fragments_fts_update after update of heading_context on fragments
when old.heading_context <> new.heading_context begin
    insert into fragments_fts (fragments_fts, rowid, text_content, heading_context)
    values ('delete', old.seq, old.text_content, old.heading_context);
    insert into fragments_fts (rowid, text_content, heading_context)
    values (new.seq, new.text_content, new.heading_context);
end;

create virtual table claims_fts using fts5 (
    claim_text,
    content = 'claims',
    content_rowid = 'seq',
    tokenize = 'lyra'
);
create trigger claims_fts_insert after insert on claims begin
    insert into claims_fts (rowid, claim_text)
    values (new.seq, new.claim_text);
end;
create trigger claims_fts_delete after delete on claims begin
    insert into claims_fts (claims_fts, rowid, claim_text)
    values ('delete', old.seq, old.claim_text);
end;
