-- What a page declares its site to be called; null of pages that were stored before.
alter table pages add column site_name text;
