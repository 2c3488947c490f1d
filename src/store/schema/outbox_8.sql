-- What of a thread holds only on this desk, because the server ignored it;
-- read states and places only as long as no later mail than `seen` has come.
CREATE TABLE thread_local (
    channel TEXT NOT NULL,
    thread TEXT NOT NULL,
    field TEXT NOT NULL CHECK (field IN ('read', 'star', 'place', 'category', 'priority')),
    value TEXT NOT NULL,
    seen INTEGER,
    PRIMARY KEY (channel, thread, field)
) STRICT, WITHOUT ROWID;

-- Whether a server takes a change of a field: looked at after it was written.
CREATE TABLE patch_field (
    channel TEXT NOT NULL,
    field TEXT NOT NULL,
    works INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, field)
) STRICT, WITHOUT ROWID;
