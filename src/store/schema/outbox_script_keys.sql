-- Changes that scripts name by an idempotency key of their own.
CREATE TABLE script_key (
    key TEXT PRIMARY KEY,
    -- Print of the command and of all that it was asked to do.
    wish TEXT NOT NULL,
    channel TEXT NOT NULL,
    -- The row of the outbox it became, or the broadcast in waves.
    row TEXT NOT NULL,
    -- Answer of the command once it is done, as a JSON object.
    answer TEXT NOT NULL,
    -- Rows that were queued for it, one after the other.
    runs INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX script_key_age ON script_key (created_at);
