-- A deleted task that is to be deleted hard, of which a running search still holds pages: done when that has ended.
alter table deleted_tasks add column is_hard integer not null default 0 check (is_hard in (0, 1));
