-- What the reader was given for a judgement: `text`, to the letter, and `parts` of it, each with its place in `text`
-- (`start`, `end`), its `role` (`deciding`, or what was read beside it: `title`, `heading`, `before`, `header`,
-- `context`) and, where it stands in a fragment, its place there (`fragment_start`, `fragment_end`; `fragment_id` where
-- it is not the edge's own). Judging `text` again gives the reader's answer. Edges from before have none.
alter table edges add column judged_text text check (judged_text is null or json_valid(judged_text));
