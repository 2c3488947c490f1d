-- What was asked of servers lately, by all processes on this folder: neither
-- bodies nor what people typed, and the newest only.
CREATE TABLE request (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    process TEXT NOT NULL,
    channel TEXT NOT NULL,
    method TEXT NOT NULL,
    base TEXT NOT NULL,
    path TEXT NOT NULL,
    took INTEGER NOT NULL,
    -- NULL where there was no answer, and why.
    status INTEGER,
    why TEXT,
    code TEXT,
    replayed INTEGER NOT NULL,
    key TEXT,
    request_id TEXT,
    has_body INTEGER NOT NULL
) STRICT;
