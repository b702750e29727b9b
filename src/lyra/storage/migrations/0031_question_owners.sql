-- Who asked a question; one without an owner belongs to the admins.
alter table user_questions add column owner text references people (id);
