-- Data Connections. Made when they are not there yet: they came after the
-- first format, and whoever does not know them is not disturbed by them.
CREATE TABLE IF NOT EXISTS connections (
    name TEXT PRIMARY KEY,
    definition TEXT NOT NULL,
    sealed BLOB,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS connection_calls (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    connection TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    contact TEXT NOT NULL,
    status INTEGER,
    failure TEXT,
    millis INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
