-- Sites that only deleted tasks had reached and that rest: forgotten when their cooldown has ended.
create table sites_to_forget (
    domain text primary key
) strict, without rowid;
