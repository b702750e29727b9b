-- `confidence`, the verdict and what follows from it count each independent source once; the same update over every
-- distinct text stands beside it. `independent_confidence` stays for those who ask for it: it is `confidence` now.
alter table claims add column text_confidence real not null default 0.5;
