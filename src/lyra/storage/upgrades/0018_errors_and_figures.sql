-- A search that failed keeps what its error said to do and whether to try again, for clients that poll.
alter table queries add column error_remedy text;
alter table queries add column is_retryable integer check (is_retryable in (0, 1));

-- Novelty is unknown until a fragment was read, and 0 where pages were read and nothing on them was new.
alter table queries add column novelty real;
update queries
set novelty = iif(
    exists (select 1 from event_log e where e.cause_id = queries.id and e.kind = 'novelty'),
    novelty_score,
    iif(
        exists (
            select 1
            from serp_items s
            where s.query_id = queries.id and s.page_id is not null and s.state in ('fetched', 'reused', 'abstract')
        ),
        0.0, null
    )
);
alter table queries drop column novelty_score;
alter table queries rename column novelty to novelty_score;

-- Harvest is counted over the pages that were read, from wherever.
update queries
set harvest_rate = coalesce(
    useful_fragments * 1.0 / nullif(
        (
            select count(distinct s.page_id)
            from serp_items s
            where s.query_id = queries.id and s.state in ('fetched', 'reused', 'abstract')
        ),
        0
    ),
    0.0
);
