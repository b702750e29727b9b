-- Bodies whose reading ended the process that read them, or that were being read when the server ended. `key` is a hash
-- of the bytes and of the limits, so that other limits or another extractor give them another chance.
create table unread_bodies (
    key text primary key,
    tries integer not null check (tries >= 0),
    reason text not null,
    tried_at text not null
) strict, without rowid;
