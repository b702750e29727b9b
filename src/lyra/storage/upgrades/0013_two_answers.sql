-- A judgement has two parts, asked and calibrated apart: whether the text bears on the claim (`bears`), and, if it does,
-- how likely it is for it (`side`); the reader's own chances stand beside the calibrated ones. `reader` is who decided.
alter table edges add column reader text;
alter table edges add column bears_raw real check (bears_raw is null or bears_raw between 0 and 1);
alter table edges add column side_raw real check (side_raw is null or side_raw between 0 and 1);
alter table edges add column bears real check (bears is null or bears between 0 and 1);
alter table edges add column side real check (side is null or side between 0 and 1);
