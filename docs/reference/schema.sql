-- The schema of a new database, as the migrations make it (src/lyra/storage/migrations).
-- Made by scripts/make_reference.py; edit the code, not this file. Views are written in src/lyra/storage/views.

-- Facts about the file itself, such as the digest of the views it holds.
CREATE TABLE meta (
    key text primary key,
    value text not null
) strict, without rowid;

-- A task with `held_at` is held back by a person: it is not worked on before it is resumed, whoever asks for it.
CREATE TABLE tasks (
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
    last_call_at text,
    held_at text
, owner text references people (id), is_shared integer not null default 0 check (is_shared in (0, 1))) strict;

-- Searches of a task. One that failed keeps what its error said to do and whether to try again, for clients that poll.
-- `novelty_score` is unknown until a fragment was read, and 0 where pages were read and nothing on them was new.
CREATE TABLE queries (
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
    independent_sources integer not null default 0,
    has_primary_source integer not null default 0 check (has_primary_source in (0, 1)),
    created_at text not null,
    started_at text,
    finished_at text,
    retry_at text,
    error_remedy text,
    is_retryable integer check (is_retryable in (0, 1)),
    novelty_score real
, recheck_id text, repeats_id text) strict;
CREATE INDEX queries_by_task on queries (task_id, created_at);
CREATE INDEX queries_by_recheck on queries (recheck_id) where recheck_id is not null;
CREATE INDEX queries_by_repeated on queries (repeats_id) where repeats_id is not null;

-- One row per address that a search found; its state is the checkpoint from which a restart goes on.
CREATE TABLE serp_items (
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
CREATE INDEX serp_items_by_state on serp_items (query_id, state, score desc);
CREATE INDEX serp_items_by_page on serp_items (page_id) where page_id is not null;
CREATE INDEX serp_items_by_time on serp_items (created_at) where page_id is not null;

-- Every query that was sent for a search: the client's own (rule `asked`) and what fixed rules made of it.
CREATE TABLE derived_queries (
    id text primary key,
    query_id text not null references queries (id) on delete cascade,
    text text not null,
    parent text not null,
    rule text not null,
    family text not null,
    page integer not null default 1,
    category text not null default 'general',
    engines text not null default '[]' check (json_valid(engines)),
    results integer not null default 0,
    new_results integer not null default 0,
    why text not null default '',
    created_at text not null
) strict;
CREATE INDEX derived_queries_by_search on derived_queries (query_id, created_at);
CREATE INDEX derived_queries_by_time on derived_queries (created_at);

-- `retracted_by`: the academic APIs that call the work retracted, joined by +: each can take back its own word only.
CREATE TABLE works (
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
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    retracted_by text not null default ''
) strict;

-- `retraction`, `is_corrected` and their days are what a page says of itself; `retraction` is null where nobody has
-- looked yet. A link may name the address that a page was redirected to, `final_url`.
CREATE TABLE pages (
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
    fetched_at text not null,
    retraction text check (retraction in ('', 'retracted', 'reinstated')),
    retracted_on text,
    is_corrected integer not null default 0 check (is_corrected in (0, 1)),
    corrected_on text
, site_name text) strict;
CREATE INDEX pages_by_domain on pages (domain);
CREATE INDEX pages_by_work on pages (work_id) where work_id is not null;
CREATE INDEX pages_by_final_url on pages (final_url);
CREATE INDEX pages_not_looked_at on pages (id) where retraction is null;
CREATE TRIGGER pages_leave after delete on pages begin
    delete from edges where source_type = 'page' and source_id = old.id;
    delete from edges where target_type = 'page' and target_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and citing_page_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and cited_page_id = old.id;
    delete from citation_flows where task_id in (select id from tasks) and via_page_id = old.id;
    delete from page_stances where task_id in (select id from tasks) and page_id = old.id;
end;

-- What a changed page looked like when a fragment that is still evidence was read from it.
CREATE TABLE page_versions (
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

-- Dated copies of a page in a public archive; `is_copy` where Lyra read the page from it.
CREATE TABLE mementos (
    page_id text not null references pages (id) on delete cascade,
    snapshot_at text not null,
    url text not null,
    is_copy integer not null default 0 check (is_copy in (0, 1)),
    text_content text not null default '',
    differences text not null default '{}' check (json_valid(differences)),
    record_id text,
    fetched_at text not null,
    primary key (page_id, snapshot_at)
) strict, without rowid;

-- A fragment's words never change. When its page does, a fragment that is evidence stays, `superseded_at` set;
-- `text_version` (a hash of the page's text) names the version of the page into whose text the offsets point.
CREATE TABLE fragments (
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
CREATE UNIQUE INDEX fragments_by_page on fragments (page_id, position) where superseded_at is null;
CREATE INDEX fragments_superseded on fragments (page_id) where superseded_at is not null;
CREATE INDEX fragments_by_hash on fragments (text_hash);
CREATE INDEX fragments_by_duplicate on fragments (near_duplicate_of) where near_duplicate_of is not null;
CREATE TRIGGER fragments_keep_words before update of text_content on fragments
when old.text_content <> new.text_content begin
    select raise(abort, 'the words of a fragment never change');
end;
CREATE TRIGGER fragments_fts_insert after insert on fragments begin
    insert into fragments_fts (rowid, text_content, heading_context)
    values (new.seq, new.text_content, new.heading_context);
end;
CREATE TRIGGER fragments_fts_delete after delete on fragments begin
    insert into fragments_fts (fragments_fts, rowid, text_content, heading_context)
    values ('delete', old.seq, old.text_content, old.heading_context);
end;
CREATE TRIGGER fragments_fts_update after update of heading_context on fragments
when old.heading_context <> new.heading_context begin
    insert into fragments_fts (fragments_fts, rowid, text_content, heading_context)
    values ('delete', old.seq, old.text_content, old.heading_context);
    insert into fragments_fts (rowid, text_content, heading_context)
    values (new.seq, new.text_content, new.heading_context);
end;
CREATE TRIGGER fragments_leave after delete on fragments begin
    delete from edges where source_type = 'fragment' and source_id = old.id;
    delete from embeddings where target_type = 'fragment' and target_id = old.id;
    delete from task_fragments where task_id in (select id from tasks) and fragment_id = old.id;
end;

-- Copies of sentences: the originals of a fragment that holds sentences of theirs, or was cut out of one. A text that
-- holds two others repeats both, and joins them not; `near_duplicate_of` is the one that its text goes by.
CREATE TABLE contained_originals (
    fragment_id text not null references fragments (id) on delete cascade,
    original_id text not null references fragments (id) on delete cascade,
    primary key (fragment_id, original_id)
) strict, without rowid;
CREATE INDEX contained_originals_by_original on contained_originals (original_id);

CREATE TABLE resource_index (
    kind text not null check (kind in ('url', 'doi', 'pmid', 'arxiv')),
    value text not null,
    page_id text references pages (id) on delete cascade,
    work_id text references works (id) on delete cascade,
    primary key (kind, value)
) strict, without rowid;

-- Addresses and papers that the main text of a page links to. A paper is named by its identifier, whatever the
-- address.
CREATE TABLE page_links (
    page_id text not null references pages (id) on delete cascade,
    kind text not null check (kind in ('url', 'doi', 'pmid', 'arxiv')),
    value text not null,
    url text not null,
    primary key (page_id, kind, value)
) strict, without rowid;
CREATE INDEX page_links_by_target on page_links (kind, value);

-- `confidence`, the verdict and what follows from it count each independent source once; `text_confidence` is the same
-- update over every distinct text. `recovery`: sentences that say what would lift a rejection. `refute_searched`: a
-- refute search that concerns the claim has come to its end; a refutation that a review takes back leaves the claim as
-- one for which none was found.
CREATE TABLE claims (
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
    created_at text not null,
    recovery text not null default '[]' check (json_valid(recovery)),
    text_confidence real not null default 0.5,
    refute_searched integer not null default 0 check (refute_searched in (0, 1))
) strict;
CREATE INDEX claims_by_task on claims (task_id, report_confidence desc);
CREATE INDEX claims_by_search on claims (search_id) where search_id is not null;
CREATE TRIGGER claims_fts_insert after insert on claims begin
    insert into claims_fts (rowid, claim_text)
    values (new.seq, new.claim_text);
end;
CREATE TRIGGER claims_fts_delete after delete on claims begin
    insert into claims_fts (claims_fts, rowid, claim_text)
    values ('delete', old.seq, old.claim_text);
end;
CREATE TRIGGER claims_leave after delete on claims begin
    delete from edges where target_type = 'claim' and target_id = old.id;
    delete from embeddings where target_type = 'claim' and target_id = old.id;
    delete from claim_years where task_id = old.task_id and claim_id = old.id;
    delete from claim_spans where task_id = old.task_id and claim_id = old.id;
end;

CREATE TABLE claim_mentions (
    claim_id text not null references claims (id) on delete cascade,
    fragment_id text not null references fragments (id) on delete cascade,
    quote text not null,
    char_start integer not null,
    char_end integer not null check (char_end > char_start),
    quote_hash text not null,
    primary key (claim_id, fragment_id, char_start)
) strict, without rowid;
CREATE INDEX claim_mentions_by_fragment on claim_mentions (fragment_id);

-- `task_id` (of the claim), `page_id` (of the fragment) and `year` (of the version of the page that was read) repeat
-- what the ends of a stance edge say, so that asking about a task reads one index instead of joining four tables.
-- `rule`: why an edge has its relation, where a rule and not the model decided. `reader`: who decided.
-- A judgement has two parts, asked and calibrated apart: whether the text bears on the claim (`bears`), and, if it
-- does, how likely it is for it (`side`); the reader's own chances (`_raw`) stand beside the calibrated ones.
-- `origins`: what the judged words name as their source (works, persons, agencies), as keys; null where nobody has
-- looked.
-- `is_notice`: the judged text tells of a work's retraction or correction; null where nobody has looked yet.
-- `no_vote`: why the edge has no vote, empty where it votes.
-- `judged_text`: what the reader was given: `text`, to the letter, and `parts` of it, each with its place in `text`
-- (`start`, `end`), its `role` (`deciding`, or what was read beside it: `title`, `heading`, `before`, `header`,
-- `context`) and, where it stands in a fragment, its place there (`fragment_start`, `fragment_end`; `fragment_id`
-- where it is not the edge's own). Judging `text` again gives the reader's answer.
CREATE TABLE edges (
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
    rule text,
    reader text,
    bears_raw real check (bears_raw is null or bears_raw between 0 and 1),
    side_raw real check (side_raw is null or side_raw between 0 and 1),
    bears real check (bears is null or bears between 0 and 1),
    side real check (side is null or side between 0 and 1),
    origins text check (origins is null or json_valid(origins)),
    is_notice integer check (is_notice in (0, 1)),
    no_vote text not null default '',
    judged_text text check (judged_text is null or json_valid(judged_text)),
    unique (source_type, source_id, target_type, target_id),
    check ((relation = 'cites') = (source_type = 'page' and target_type = 'page')),
    check (target_type <> 'claim' or task_id is not null),
    check (source_type <> 'fragment' or page_id is not null)
) strict;
CREATE INDEX edges_by_target on edges (target_type, target_id);
CREATE INDEX edges_by_page on edges (page_id, task_id) where page_id is not null;
CREATE INDEX edges_origins on edges (task_id, target_id, source_id) where is_origin = 1;
CREATE INDEX edges_cites on edges (source_id, target_id) where relation = 'cites';
CREATE INDEX edges_cited on edges (target_id, source_id) where relation = 'cites';
CREATE INDEX edges_without_vote on edges (task_id, no_vote) where no_vote <> '';
CREATE INDEX edges_of_claim on edges (task_id, target_id, relation, nli_confidence desc, source_id, page_id, no_vote)
    where task_id is not null;
CREATE INDEX edges_of_page on edges (task_id, relation, page_id, target_id, source_id, no_vote)
    where task_id is not null;
CREATE INDEX edges_of_fragment on edges (source_id, task_id, target_id, relation, nli_confidence, no_vote)
    where relation in ('supports', 'refutes');
CREATE INDEX edges_not_looked_at on edges (id) where source_type = 'fragment' and is_notice is null;
CREATE INDEX edges_by_year on edges (task_id, year, source_id, relation, no_vote)
    where relation in ('supports', 'refutes');

-- What a person or a client says of an edge, having read it. The review in force decides `relation` and
-- `nli_confidence` of its edge; what reader and rules had made of it stays on the edge (`nli_label`, probabilities,
-- `rule`) and here (`judged_relation`, `judged_confidence`), so that taking a review back restores it exactly.
-- `earlier_sample` is a sample of calibration that the first review of an edge replaced, and that undoing brings back.
CREATE TABLE reviews (
    seq integer primary key autoincrement,
    id text not null unique,
    edge_id text not null references edges (id) on delete cascade,
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null,
    actual text not null check (actual in ('supports', 'refutes', 'neutral')),
    reason text not null default '',
    reviewer text not null,
    judged_relation text not null check (judged_relation in ('supports', 'refutes', 'neutral')),
    judged_confidence real check (judged_confidence is null or judged_confidence between 0 and 1),
    state text not null default 'in_force' check (state in ('in_force', 'replaced', 'undone')),
    ended_at text,
    earlier_sample text check (earlier_sample is null or json_valid(earlier_sample)),
    created_at text not null,
    check ((state = 'in_force') = (ended_at is null))
) strict;
CREATE UNIQUE INDEX reviews_in_force on reviews (edge_id) where state = 'in_force';
CREATE INDEX reviews_by_edge on reviews (edge_id, seq);
CREATE INDEX reviews_by_task on reviews (task_id, seq);
CREATE INDEX reviews_by_claim on reviews (claim_id) where state = 'in_force';

-- Claims whose evidence has changed since they were assessed. Whoever assesses one takes it out.
CREATE TABLE claims_to_assess (
    claim_id text primary key references claims (id) on delete cascade
) strict, without rowid;

-- Tasks whose claims an older version assessed; a row goes when its task has been assessed anew.
CREATE TABLE tasks_to_reassess (
    task_id text primary key references tasks (id) on delete cascade
) strict, without rowid;

-- Voting stances on a claim by the year of the version read. Of near-duplicates and exact copies only the strongest
-- stance counts, in the year of the earliest: a wire story and its reprints are no growing consensus.
CREATE TABLE claim_years (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null,
    year integer not null,
    supports integer not null,
    refutes integer not null,
    support_weight real not null,
    refute_weight real not null,
    primary key (task_id, claim_id, year)
) strict, without rowid;
CREATE INDEX claim_years_by_year on claim_years (task_id, year, supports, refutes, support_weight, refute_weight);
CREATE INDEX claim_years_by_decade on claim_years (task_id, year / 10, claim_id, support_weight, refute_weight);

-- The years of a claim's evidence in one row: first and last, newest on each side, mean year of a stance, slope of
-- supports per year, and the shares of years with a majority for and against.
CREATE TABLE claim_spans (
    task_id text not null,
    claim_id text not null,
    earliest_year integer not null,
    latest_year integer not null,
    years integer not null,
    supports integer not null,
    refutes integer not null,
    newest_support integer not null,
    newest_refutation integer not null,
    mean_year real not null,
    slope real,
    share_for real not null,
    share_against real not null,
    primary key (task_id, claim_id)
) strict, without rowid;

-- What every year and every decade holds for a whole task.
CREATE TABLE task_years (
    task_id text not null references tasks (id) on delete cascade,
    year integer not null,
    fragments integer not null default 0,
    claims integer not null default 0,
    supports integer not null default 0,
    refutes integer not null default 0,
    support_weight real not null default 0,
    refute_weight real not null default 0,
    primary key (task_id, year)
) strict, without rowid;

CREATE TABLE task_decades (
    task_id text not null references tasks (id) on delete cascade,
    decade integer not null,
    claims integer not null,
    contested integer not null,
    support_weight real not null,
    refute_weight real not null,
    primary key (task_id, decade)
) strict, without rowid;

-- Stances by page, fragments that speak in a task (judged, or mentioning a claim), and pages that it reached (found by
-- a search, mentioning a claim or judged).
CREATE TABLE page_stances (
    task_id text not null references tasks (id) on delete cascade,
    page_id text not null,
    supports integer not null,
    refutes integer not null,
    neutrals integer not null,
    primary key (task_id, page_id)
) strict, without rowid;

CREATE TABLE task_fragments (
    task_id text not null references tasks (id) on delete cascade,
    fragment_id text not null,
    primary key (task_id, fragment_id)
) strict, without rowid;

CREATE TABLE task_pages (
    task_id text not null references tasks (id) on delete cascade,
    page_id text not null references pages (id) on delete cascade,
    primary key (task_id, page_id)
) strict, without rowid;
CREATE INDEX task_pages_by_page on task_pages (page_id);

-- What the pages of a task link to, and how many of them do.
CREATE TABLE task_references (
    task_id text not null references tasks (id) on delete cascade,
    kind text not null,
    value text not null,
    url text not null,
    citing_pages integer not null,
    primary key (task_id, value, kind)
) strict, without rowid;
CREATE INDEX task_references_by_count on task_references (task_id, citing_pages desc, kind, value);
CREATE INDEX task_references_by_url on task_references (task_id, url);

-- The independent sources that speak of a claim, and how it would stand if one of them were withdrawn; `is_decisive`
-- where it would stand otherwise. Written when a search ends and taken away with the next stance on the claim: what is
-- here is never older than the claim's figures.
CREATE TABLE claim_sources (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    source text not null,
    members text not null default '[]' check (json_valid(members)),
    supports integer not null,
    refutes integer not null,
    confidence_without real not null check (confidence_without between 0 and 1),
    independent_sources_without integer not null,
    verdict_without text not null,
    verification_without text not null,
    adoption_without text not null,
    is_decisive integer not null default 0 check (is_decisive in (0, 1)),
    primary key (task_id, claim_id, source)
) strict, without rowid;
CREATE INDEX claim_sources_by_claim on claim_sources (claim_id);
CREATE INDEX claim_sources_by_weight on claim_sources (task_id, is_decisive);

-- Domains that a claim lifts from unverified to low while it stands as it does, and the independent sources behind it.
CREATE TABLE promotions (
    claim_id text not null references claims (id) on delete cascade,
    domain text not null,
    sources text not null check (json_valid(sources)),
    reason text not null,
    primary key (claim_id, domain)
) strict, without rowid;
CREATE INDEX promotions_by_domain on promotions (domain);

-- Pages of a task that count as one source: one story in one wording, citations in a circle; and pages that cite
-- nobody but their own publisher. Written anew whenever a search ends.
CREATE TABLE page_groups (
    task_id text not null references tasks (id) on delete cascade,
    kind text not null check (kind in ('narrative', 'loop', 'self_reference')),
    group_id text not null,
    page_id text not null references pages (id) on delete cascade,
    primary key (task_id, kind, group_id, page_id)
) strict, without rowid;
CREATE INDEX page_groups_by_page on page_groups (page_id);

-- Who cites whom among what a task reached, directly (hop 1) or through one page between (hop 2). Written anew
-- whenever a search ends: there are a hundred times as many ways of two steps as pages.
CREATE TABLE citation_flows (
    id integer primary key,
    task_id text not null references tasks (id) on delete cascade,
    citing_page_id text not null,
    cited_page_id text not null,
    hop_distance integer not null check (hop_distance in (1, 2)),
    via_page_id text,
    citation_source text
) strict;
CREATE INDEX citation_flows_by_citing on citation_flows (task_id, citing_page_id);
CREATE INDEX citation_flows_by_cited on citation_flows (task_id, cited_page_id);
CREATE INDEX citation_flows_by_via on citation_flows (task_id, via_page_id);
CREATE INDEX citation_flows_by_hop on citation_flows (task_id, hop_distance);
CREATE INDEX citation_flows_by_index on citation_flows (task_id, citation_source);

CREATE TABLE embeddings (
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
CREATE INDEX embeddings_by_type on embeddings (target_type, model_id, seq);
CREATE TRIGGER embeddings_count_removals after delete on embeddings begin
    update embedding_removals set count = count + 1 where target_type = old.target_type;
end;

-- A vector index held in memory reads what was added since its last `seq`; what was taken away it learns from here.
CREATE TABLE embedding_removals (
    target_type text primary key,
    count integer not null default 0
) strict, without rowid;

-- Vectors of the sentences of a text, so that taking up a task again asks no model. A cache: it may be forgotten.
CREATE TABLE sentence_vectors (
    text_hash text not null,
    model_id text not null,
    vectors blob not null,
    dimension integer not null check (length(vectors) % (4 * dimension) = 0),
    used_at text not null,
    primary key (text_hash, model_id)
) strict;
CREATE INDEX sentence_vectors_by_use on sentence_vectors (used_at);

-- What is learned about how sure the models may be: samples, fitted versions, evaluations, rollbacks. `basis` names
-- the weights and the bundled calibration a prediction came from: samples of other weights fit nothing.
-- `probabilities` (supports, refutes, neutral) belong to corrected stances; elsewhere `prediction` stands alone.
CREATE TABLE calibration_samples (
    seq integer primary key autoincrement,
    id text not null unique,
    source text not null check (source in ('nli_judge', 'llm_extract')),
    language text not null,
    basis text not null,
    prediction real not null check (prediction between 0 and 1),
    probabilities text check (probabilities is null or json_array_length(probabilities) = 3),
    actual text not null check (actual in ('true', 'false', 'supports', 'refutes', 'neutral')),
    edge_id text unique,
    context text not null default '',
    is_considered integer not null default 0 check (is_considered in (0, 1)),
    created_at text not null,
    check ((probabilities is null) = (actual in ('true', 'false')))
) strict;
CREATE INDEX calibration_samples_by_source on calibration_samples (source, basis, language, is_considered, seq);

-- A version is a whole set: one row for each language that has a fit. A new fit of one language carries the others
-- over, `fitted_in` telling from where, so that rolling back is choosing another set. Version 0 is the bundled
-- calibration alone and has no rows.
CREATE TABLE calibration_parameters (
    source text not null check (source in ('nli_judge', 'llm_extract')),
    version integer not null check (version > 0),
    language text not null,
    basis text not null,
    method text not null check (method in ('platt', 'temperature', 'vector')),
    parameters text not null check (json_valid(parameters)),
    fitted_on integer not null check (fitted_on > 0),
    brier_before real not null,
    brier_after real not null,
    fitted_in integer not null,
    is_active integer not null default 0 check (is_active in (0, 1)),
    reason text not null default '',
    created_at text not null,
    primary key (source, version, language)
) strict, without rowid;
CREATE UNIQUE INDEX calibration_parameters_active on calibration_parameters (source, basis, language)
    where is_active = 1;

CREATE TABLE calibration_evaluations (
    id text primary key,
    source text not null check (source in ('nli_judge', 'llm_extract')),
    brier_score real not null,
    brier_score_calibrated real,
    improvement_ratio real not null,
    expected_calibration_error real not null,
    samples_evaluated integer not null check (samples_evaluated > 0),
    bins_json text not null check (json_valid(bins_json)),
    calibration_version integer not null,
    evaluated_at text not null,
    created_at text not null
) strict;
CREATE INDEX calibration_evaluations_by_source on calibration_evaluations (source, evaluated_at);

CREATE TABLE calibration_rollbacks (
    id text primary key,
    source text not null,
    basis text not null,
    previous_version integer not null,
    rolled_back_to integer not null,
    reason text not null default '',
    is_automatic integer not null default 0 check (is_automatic in (0, 1)),
    created_at text not null
) strict;

-- `trust_level` is null until something was decided about the domain here: the list of known domains holds.
CREATE TABLE domain_trust (
    domain text primary key,
    trust_level text
        check (trust_level in ('primary', 'government', 'academic', 'trusted', 'low', 'unverified', 'blocked')),
    trust_reason text not null default '',
    original_trust_level text,
    blocked_at text,
    cause_id text,
    updated_at text not null
) strict;

-- Shares of fetches, the newest weighing most: `_short` with 0.3, `_long` with 0.1 (§4.3, learning by EMA).
CREATE TABLE domain_policies (
    domain text primary key,
    samples integer not null default 0,
    success_short real not null default 1,
    success_long real not null default 1,
    refusal_short real not null default 0,
    refusal_long real not null default 0,
    tor_samples integer not null default 0,
    tor_short real not null default 0.5,
    tor_long real not null default 0.5,
    pause_factor real not null default 1,
    pause_changed_at text,
    pause_direction integer not null default 0,
    rung text,
    rung_reason text,
    rung_until text,
    rung_hits integer not null default 0,
    tor_barred_until text,
    last_challenge text,
    last_challenge_at text,
    updated_at text not null
) strict;

-- Requests of one day (UTC) to one domain by one rung; shares and daily limits are counted from it.
CREATE TABLE fetch_days (
    day text not null,
    domain text not null,
    rung text not null,
    requests integer not null default 0,
    served integer not null default 0,
    refused integer not null default 0,
    primary key (day, domain, rung)
) strict, without rowid;

-- How what we ask answers: `domain:…`, `engine:…`, `api:…`. Nothing is asked before `open_until`; `failures` counts those
-- in a row. Shares of answers over about an hour and a day, newest weighing most; latency likewise, in seconds.
CREATE TABLE service_health (
    name text primary key,
    state text not null default 'closed' check (state in ('closed', 'half_open', 'open')),
    failures integer not null default 0,
    open_until text,
    last_outcome text,
    last_reason text,
    updated_at text not null,
    success_1h real not null default 1,
    success_24h real not null default 1,
    captcha_24h real not null default 0,
    drift_24h real not null default 0,
    latency_s real,
    asked_day text,
    asked_today integer not null default 0
) strict;

-- Sites that are searched through their own form, and how that went.
CREATE TABLE site_searches (
    domain text primary key,
    action text,
    method text not null default 'GET',
    parameter text,
    hidden text not null default '[]' check (json_valid(hidden)),
    needs_browser integer not null default 0 check (needs_browser in (0, 1)),
    successes integer not null default 0,
    failures integer not null default 0,
    failures_in_row integer not null default 0,
    skipped_on text,
    last_reason text,
    updated_at text not null
) strict;

-- Parameters of the whole machine that adapt: the value in force, when and which way it was last turned, the moving
-- averages behind it, and the last entry of the journal that they have seen.
CREATE TABLE knobs (
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

-- Durable work. The process that runs a job holds the lease `job:ID`; a lapsed one gives it back.
CREATE TABLE jobs (
    id text primary key,
    kind text not null,
    priority integer not null default 0,
    slot text not null default 'network_client',
    state text not null check (state in ('queued', 'running', 'paused', 'done', 'failed', 'cancelled')),
    payload text not null default '{}' check (json_valid(payload)),
    budget text not null default '{}' check (json_valid(budget)),
    task_id text references tasks (id) on delete cascade,
    attempts integer not null default 0,
    error text,
    cause_id text,
    created_at text not null,
    started_at text,
    finished_at text
, due_at text) strict;
CREATE INDEX jobs_by_state on jobs (state, priority desc, created_at);
CREATE INDEX jobs_by_task on jobs (task_id, created_at) where task_id is not null;
CREATE INDEX jobs_by_due on jobs (due_at) where state = 'queued' and due_at is not null;

-- Exclusive use of a name until it is given back or lapses, over all processes; `next_at` is when it may be used next.
-- Names: `domain:…`, `engine:…`, `api:…`, `page:…`; `job:ID`; `slot:ROOM/SEAT`, and `line:ROOM/USE` for one who waits for
-- a seat. Slots of one room share its seats: `gpu` and `browser_headful` share a room with one seat, so that the two
-- never run together. Only seats and places in line have a slot, a priority and the time of asking.
CREATE TABLE leases (
    name text primary key,
    owner text,
    until text,
    next_at text,
    slot text,
    priority integer,
    asked_at text
) strict;
CREATE INDEX leases_by_owner on leases (owner) where owner is not null;

-- Pages that only a person can open. `decided_for` is what a decision was about: one item, or everything of its
-- domain.
CREATE TABLE intervention_queue (
    id text primary key,
    task_id text references tasks (id) on delete cascade,
    search_id text references queries (id) on delete cascade,
    domain text not null,
    url text not null,
    auth_type text not null,
    priority text not null default 'normal' check (priority in ('high', 'normal')),
    status text not null default 'pending' check (status in ('pending', 'resolved', 'skipped', 'failed')),
    reason text not null default '',
    queued_at text not null,
    resolved_at text,
    decided_for text check (decided_for in ('item', 'domain')),
    decided_via text,
    unique (task_id, url)
) strict;
CREATE INDEX intervention_queue_by_status on intervention_queue (status, domain);

-- What a person is asked. One that is pending past `expires_at` has timed out; an answer after that is `late`.
CREATE TABLE user_questions (
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
, owner text references people (id)) strict;
CREATE INDEX user_questions_by_status on user_questions (status, asked_at);

CREATE TABLE event_log (
    id integer primary key,
    task_id text references tasks (id) on delete cascade,
    search_id text,
    cause_id text,
    kind text not null,
    subject text not null default '',
    details text not null default '{}' check (json_valid(details)),
    created_at text not null
) strict;
CREATE INDEX event_log_by_task on event_log (task_id, id);
CREATE INDEX event_log_by_cause on event_log (cause_id) where cause_id is not null;
CREATE INDEX event_log_by_change on event_log (subject, id) where kind = 'policy_change';

-- The pages that a softly deleted task had reached, so that a hard cleanup of the same task still finds them.
CREATE TABLE deleted_tasks (
    task_id text primary key,
    deleted_at text not null
, is_hard integer not null default 0 check (is_hard in (0, 1))) strict, without rowid;

CREATE TABLE deleted_task_pages (
    task_id text not null references deleted_tasks (task_id) on delete cascade,
    page_id text not null references pages (id) on delete cascade,
    primary key (task_id, page_id)
) strict, without rowid;
CREATE INDEX deleted_task_pages_by_page on deleted_task_pages (page_id);

CREATE TABLE serp_cache (
    key text primary key,
    answer text not null check (json_valid(answer)),
    created_at text not null
) strict;

CREATE TABLE robots_cache (
    origin text primary key,
    body text not null,
    status_code integer not null,
    fetched_at text not null
) strict;

CREATE VIRTUAL TABLE fragments_fts using fts5 (
    text_content,
    heading_context,
    content = 'fragments',
    content_rowid = 'seq',
    tokenize = 'lyra'
);

CREATE VIRTUAL TABLE claims_fts using fts5 (
    claim_text,
    content = 'claims',
    content_rowid = 'seq',
    tokenize = 'lyra'
);

-- Text on pages that gives orders to an AI. A page was scanned by `scanner` as it was at `text_version`; each finding has
-- its place, in the page's text or, where `is_hidden`, in what the page hides. The words themselves are not repeated.
CREATE TABLE page_scans (
    page_id text primary key references pages (id) on delete cascade,
    scanner text not null,
    text_version text not null,
    scanned_at text not null
) strict, without rowid;

CREATE TABLE injection_findings (
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
CREATE INDEX injection_findings_by_page on injection_findings (page_id);
CREATE INDEX injection_findings_by_fragment on injection_findings (fragment_id);

-- Archive records that the searches of a deleted task had made, so that a hard cleanup of the same task still finds
-- them. `names_query`: its address holds what was asked.
CREATE TABLE deleted_task_records (
    task_id text not null references deleted_tasks (task_id) on delete cascade,
    record_id text not null,
    names_query integer not null default 0 check (names_query in (0, 1)),
    primary key (task_id, record_id)
) strict, without rowid;

-- What hard cleanups have still to do in archive files; a row goes when it is done, so that whoever dies between leaves
-- the rest to the next. `remove`: the record with its request. Of a record that another task needs only what was asked
-- goes: `drop_request` a request that names the result page, `readdress` its request and the query of its address;
-- `readdress_origin` is for a record of another task that names such an address as its origin's.
CREATE TABLE records_to_erase (
    record_id text primary key,
    warc_path text not null,
    action text not null check (action in ('remove', 'drop_request', 'readdress', 'readdress_origin'))
) strict, without rowid;
CREATE INDEX records_to_erase_by_file on records_to_erase (warc_path);

-- Tasks whose searches are repeated; `snapshot` is how the task stood when it was last reported on.
CREATE TABLE rechecks (
    task_id text primary key references tasks (id) on delete cascade,
    every_s integer not null check (every_s > 0),
    max_pages integer not null check (max_pages > 0),
    max_seconds real not null check (max_seconds > 0),
    snapshot text not null check (json_valid(snapshot)),
    created_at text not null
) strict;

-- One repetition each. `waiting` is one that could not reach the network and is tried again.
CREATE TABLE recheck_runs (
    id text primary key,
    task_id text not null references tasks (id) on delete cascade,
    state text not null check (state in ('running', 'waiting', 'done', 'failed')),
    due_at text not null,
    started_at text not null,
    finished_at text,
    max_pages integer not null,
    max_seconds real not null,
    pages_used integer not null default 0,
    seconds_used real not null default 0,
    reason text,
    report text check (json_valid(report))
) strict;
CREATE INDEX recheck_runs_by_task on recheck_runs (task_id, started_at);

-- Bodies whose reading ended the process that read them, or that were being read when the server ended. `key` is a hash
-- of the bytes and of the limits, so that other limits or another extractor give them another chance.
CREATE TABLE unread_bodies (
    key text primary key,
    tries integer not null check (tries >= 0),
    reason text not null,
    tried_at text not null
) strict, without rowid;

-- People with a token of a shared server. Of a token only its hash is kept. A revoked person stays, because tasks and
-- reviews name people.
CREATE TABLE people (
    id text primary key,
    name text not null unique check (length(name) > 0),
    role text not null check (role in ('reader', 'researcher', 'admin')),
    token_hash text not null unique,
    created_at text not null,
    last_used_at text,
    revoked_at text
) strict;

-- The user's own documents. A library is a folder, a bibliography or a Zotero folder. Paths are bytes: not every file
-- system has names in UTF-8.
CREATE TABLE libraries (
    id text primary key,
    name text not null unique check (length(name) > 0),
    path blob not null unique,
    kind text not null check (kind in ('folder', 'references', 'zotero')),
    added_at text not null,
    scanned_at text,
    problem text
) strict;

CREATE TABLE library_files (
    seq integer primary key,
    library_id text not null references libraries (id) on delete cascade,
    path blob not null,
    size_bytes integer not null,
    mtime_ns integer not null,
    state text not null check (state in ('indexed', 'waiting', 'failed')),
    reason text,
    unique (library_id, path)
) strict;
CREATE INDEX library_files_by_state on library_files (library_id, state);

-- A document is known by the content it was first seen with: it stays the same when its file moves or is edited.
-- `entry` is the text of an entry of a bibliography; of other documents the file has the bytes. `work` is JSON.
CREATE TABLE library_documents (
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
CREATE INDEX library_documents_by_hash on library_documents (content_hash);
CREATE TRIGGER library_fts_insert after insert on library_documents begin
    insert into library_fts (rowid, title, text_content)
    values (new.seq, new.title, new.text_content);
end;
CREATE TRIGGER library_fts_delete after delete on library_documents begin
    insert into library_fts (library_fts, rowid, title, text_content)
    values ('delete', old.seq, old.title, old.text_content);
end;
CREATE TRIGGER library_fts_update after update of title, text_content on library_documents
when old.title <> new.title or old.text_content <> new.text_content begin
    insert into library_fts (library_fts, rowid, title, text_content)
    values ('delete', old.seq, old.title, old.text_content);
    insert into library_fts (rowid, title, text_content)
    values (new.seq, new.title, new.text_content);
end;

-- Which documents a file holds, and where: a mailbox and a bibliography hold many.
CREATE TABLE library_parts (
    file_seq integer not null references library_files (seq) on delete cascade,
    place integer not null,
    length integer,
    key text not null references library_documents (key) on delete cascade,
    primary key (file_seq, place)
) strict, without rowid;
CREATE INDEX library_parts_by_key on library_parts (key);

-- Where the document of a page lies now; kept for what tasks cite when its library is removed.
CREATE TABLE page_files (
    page_id text primary key references pages (id) on delete cascade,
    url text not null,
    path text not null,
    gone_at text
) strict, without rowid;
CREATE INDEX page_files_by_url on page_files (url);

-- What the archive holds, by address and time. The WARC files are the truth; `lyra archive check --repair` writes this
-- table anew from them.
CREATE TABLE "archive_records" (
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
CREATE INDEX archive_records_by_address on archive_records (url_key, archived_at);
CREATE INDEX archive_records_by_digest on archive_records (digest) where kind = 'response';
CREATE INDEX archive_records_by_file on archive_records (warc_path);
CREATE INDEX archive_records_by_origin on archive_records (refers_to) where refers_to is not null;

CREATE VIRTUAL TABLE library_fts using fts5 (
    title,
    text_content,
    content = 'library_documents',
    content_rowid = 'seq',
    tokenize = 'lyra'
);

-- Organisations, people, domains and whatever else records of registries name.
CREATE TABLE entities (
    id text primary key,
    kind text not null,
    name text not null,
    created_at text not null
) strict;

-- All that an entity is recognised by, each as a page says it: names, official numbers, addresses, domains. `value` is
-- the normal form that is compared, `shown` the words of the record.
CREATE TABLE entity_keys (
    entity_id text not null references entities (id) on delete cascade,
    page_id text not null references pages (id) on delete cascade,
    scheme text not null,
    value text not null,
    shown text not null,
    primary key (entity_id, scheme, value, page_id)
) strict, without rowid;
CREATE INDEX entity_keys_by_value on entity_keys (scheme, value);
CREATE INDEX entity_keys_by_page on entity_keys (page_id);

-- What a record states of an entity; `object_id` where the value is an entity itself. The words stand at `char_start` to
-- `char_end` of the fragment.
CREATE TABLE entity_facts (
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
CREATE INDEX entity_facts_by_subject on entity_facts (subject_id);
CREATE INDEX entity_facts_by_object on entity_facts (object_id);
CREATE INDEX entity_facts_by_page on entity_facts (page_id);
CREATE INDEX entity_facts_by_fragment on entity_facts (fragment_id);
CREATE TRIGGER entity_facts_leave after delete on entity_facts begin
    delete from entities
    where id in (old.subject_id, old.object_id)
        and not exists (select 1 from entity_facts f where f.subject_id = entities.id)
        and not exists (select 1 from entity_facts f where f.object_id = entities.id);
end;

-- Two entities that may be one, with an estimate and its reasons (a list in JSON).
CREATE TABLE same_entities (
    first_id text not null references entities (id) on delete cascade,
    second_id text not null references entities (id) on delete cascade,
    score real not null check (score between 0 and 1),
    reasons text not null check (json_valid(reasons)),
    primary key (first_id, second_id),
    check (first_id < second_id)
) strict, without rowid;
CREATE INDEX same_entities_by_second on same_entities (second_id);

-- What is still to be reviewed, one row for each claim, independent source and relation: the edge to look at, how sure
-- its result is, and whether another relation would change the claim's verdict. Written and taken away together with
-- `claim_sources`, by the same functions.
CREATE TABLE review_queue (
    task_id text not null references tasks (id) on delete cascade,
    claim_id text not null references claims (id) on delete cascade,
    source text not null,
    relation text not null check (relation in ('supports', 'refutes', 'neutral')),
    edge_id text not null references edges (id) on delete cascade,
    edges integer not null check (edges > 0),
    probability real not null check (probability between 0 and 1),
    turns_verdict integer not null check (turns_verdict in (0, 1)),
    primary key (task_id, turns_verdict desc, probability, claim_id, source, relation),
    unique (source, relation, claim_id)
) strict, without rowid;
CREATE INDEX review_queue_by_claim on review_queue (claim_id, turns_verdict desc, probability, source, relation);
CREATE INDEX review_queue_by_edge on review_queue (edge_id);

-- Claims with voting evidence on both sides, on different pages, and each side's strongest edge. Of a page that speaks
-- for and against only its stronger side counts; on equal strength the doubt is kept.
CREATE TABLE claim_sides (
    claim_id text primary key references claims (id) on delete cascade,
    task_id text not null references tasks (id) on delete cascade,
    supporting_edge_id text not null,
    refuting_edge_id text not null
) strict, without rowid;
CREATE INDEX claim_sides_by_task on claim_sides (task_id);

-- Sites that only deleted tasks had reached and that rest: forgotten when their cooldown has ended.
CREATE TABLE sites_to_forget (
    domain text primary key
) strict, without rowid;

-- What is known of a domain, as clients read it.
CREATE VIEW domains as
select t.domain, t.trust_level, t.trust_reason, t.original_trust_level, t.blocked_at, t.cause_id,
    h.open_until as cooldown_until, coalesce(h.failures, 0) as failures, h.last_outcome,
    max(t.updated_at, coalesce(h.updated_at, '')) as updated_at
from domain_trust t
left join service_health h on h.name = 'domain:' || t.domain
union all
select substr(h.name, 8), null, '', null, null, null, h.open_until, h.failures, h.last_outcome, h.updated_at
from service_health h
where h.name >= 'domain:' and h.name < 'domain;'
    and not exists (select 1 from domain_trust t where t.domain = substr(h.name, 8));

-- v_citation_age_gap: How old the pages are that pages of the task cite: years of both and how often the pair occurs.
-- v_citation_clusters: Groups of pages that cite one another, directly or through other pairs that do; such sources are not independent.
-- v_citation_flow: Who cites whom: hop 1 is a page of the task citing a page directly, hop 2 through one page between.
-- v_claim_evidence_summary: How the evidence for each claim stands. Counts are independent sources, each once on each side.
-- v_claim_origins: Where each claim is stated: the exact quote, its fragment and heading, and the page with address, date and trust.
-- v_claim_temporal_support: Years the evidence of each claim comes from; consistency is the share of years whose majority agrees with the whole.
-- v_contradictions: Claims with evidence on both sides, on different pages: up to five fragments each way, each side's strongest words.
-- v_controversy_by_era: Decades of evidence: claims contested or agreed on within each, and whether its majority differs from the one before.
-- v_emerging_consensus: Claims whose support grows: slope of supporting texts per year over the years with evidence, where positive.
-- v_entities: Who and what the registry records of a task name: kind, name, numbers and other names, how many facts, from where.
-- v_entity_facts: Facts from registries (company → subsidiary, officer, website; domain → certificate → organisation) with their words.
-- v_evidence_chain: Fragment supports a claim, whose origin fragment supports or refutes another claim; confidence is the product.
-- v_evidence_freshness: Age of each claim's evidence: mean in years today; support or refutation within 2 years of the task's newest.
-- v_evidence_timeline: Evidence that votes by the year of the page as it was read: fragments, claims they speak of, mean confidence.
-- v_hub_pages: Central sources: pages that support two or more claims. Citations are those known to the graph.
-- v_orphan_sources: Isolated sources: pages of the task that no page in the graph cites, with the number of claims each supports.
-- v_outdated_evidence: Claims whose newest dated evidence lies over 2 years before the newest in the task.
-- v_rechecks: Repetitions of a watched task's searches, newest first: what each found to be new, changed, gone, retracted, moved or unread.
-- v_reference_candidates: What the task's pages link to and nobody has read yet: addresses and papers, by how many pages link there.
-- v_rejected_claims: Rejected claims: since when and why, the words against each with their sources, and what would lift the rejection.
-- v_retracted_evidence: Stances that rest on retracted papers and pages: the claim, the words, the work and the day. They have no vote.
-- v_review_queue: What to review next: one row per claim, source and relation; first what would turn a verdict, least sure first.
-- v_same_entities: Entities of a task that may be one and the same: an estimate from 0 to 1, and the reasons for and against it.
-- v_source_authority: Pages by authority: mean of log citations made, log cited-by (both relative to the task's most) and recency.
-- v_source_dependence: What if one source were withdrawn: each claim with each independent source behind it, and how it would stand without.
-- v_source_groups: Pages that count as one source, and why: one narrative, a citation loop; or a page that cites only its publisher.
-- v_unsupported_claims: Claims with little evidence: fewer than 2 independent sources that take a stance.
