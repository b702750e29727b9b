-- Who retells what its source has corrected has no vote: every claim that an older version assessed is assessed by it.
insert into tasks_to_reassess (task_id)
select distinct task_id
from claims
where true
on conflict do nothing;
