-- The newest state seen of each outbox: one that comes back older was restored
-- from a copy.
CREATE TABLE outbox_mark (
    id TEXT PRIMARY KEY,
    generation INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
