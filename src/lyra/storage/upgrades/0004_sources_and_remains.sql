-- Who stands behind a claim, what would restore a rejected one, and what a deleted task leaves.

-- Sentences that say what would lift a rejection; an empty list for every other claim.
alter table claims add column recovery text not null default '[]' check (json_valid(recovery));

-- The independent sources that speak of a claim, and how it would stand if one of them were withdrawn. Written when a
-- search ends and taken away with the next stance on the claim: what is here is never older than the claim's figures.
create table claim_sources (
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
    primary key (task_id, claim_id, source)
) strict, without rowid;
create index claim_sources_by_claim on claim_sources (claim_id);

-- The pages that a softly deleted task had reached, so that a hard cleanup of the same task still finds them.
create table deleted_tasks (
    task_id text primary key,
    deleted_at text not null
) strict, without rowid;
create table deleted_task_pages (
    task_id text not null references deleted_tasks (task_id) on delete cascade,
    page_id text not null references pages (id) on delete cascade,
    primary key (task_id, page_id)
) strict, without rowid;
create index deleted_task_pages_by_page on deleted_task_pages (page_id);
