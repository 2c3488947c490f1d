-- Conversations the server has no more, with the newest message of a customer
-- that was stored of each: what an old answer brings back is not new.
CREATE TABLE gone (
    number INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    newest_at INTEGER NOT NULL,
    newest_id TEXT NOT NULL,
    UNIQUE (channel, id)
) STRICT;
