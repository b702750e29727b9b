-- Texts of one author, and answers of one person to two papers, are one source: whom judged words have been said by is looked for
-- anew, and every claim that an older version assessed is assessed by it.
update edges
set origins = null
where source_type = 'fragment' and origins is not null;
insert into tasks_to_reassess (task_id)
select distinct task_id
from claims
where true
on conflict do nothing;
