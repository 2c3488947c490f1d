-- Data Connections and the assistant. Made when they are not there yet: they
-- came after the first format, and whoever does not know them is not disturbed
-- by them.
CREATE TABLE IF NOT EXISTS connections (
    workspace TEXT NOT NULL REFERENCES workspaces,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    sealed BLOB,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, name)
) STRICT;

CREATE TABLE IF NOT EXISTS connection_calls (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    connection TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    contact TEXT NOT NULL,
    status INTEGER,
    failure TEXT,
    millis INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

-- What the assistant says beside its reason when it asks for a person.
CREATE TABLE IF NOT EXISTS escalation_summaries (
    conversation TEXT PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
    summary TEXT NOT NULL
) STRICT;

-- Changes the assistant proposes. The id is also the idempotency key a person
-- carries the call out with.
CREATE TABLE IF NOT EXISTS proposals (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
    connection TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    -- A JSON object: what the assistant filled in.
    answers TEXT NOT NULL,
    -- proposed, begun, done or dropped.
    state TEXT NOT NULL,
    outcome TEXT,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS proposals_by_conversation ON proposals (conversation);

-- Tokens a model took, by day and conversation; an empty conversation holds
-- the sum of the day.
CREATE TABLE IF NOT EXISTS assistant_usage (
    day INTEGER NOT NULL,
    conversation TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (day, conversation)
) STRICT, WITHOUT ROWID;
