-- What a task's pages link to, sorted by address, without looking up who links there for every one of them.
create index task_references_by_url on task_references (task_id, url);
