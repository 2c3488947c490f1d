-- Precious: nothing here can be read again from anywhere.
CREATE TABLE draft (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    reply_to TEXT,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    -- The order in which a conversation's rows leave.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    operation TEXT NOT NULL CHECK (operation IN ('send', 'react', 'pause', 'resume', 'close')),
    recipient TEXT,
    text TEXT,
    quoted TEXT,
    target TEXT,
    emoji TEXT,
    idempotency_key TEXT NOT NULL UNIQUE,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    first_attempt_at INTEGER,
    -- How often bytes may have left under the key.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- How often no clear answer came.
    failures INTEGER NOT NULL DEFAULT 0,
    -- Grows with every claim: who settles must name the claim it made.
    fence INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sending', 'uncertain', 'stopped')),
    stop TEXT,
    why TEXT,
    -- The stopped row a person asked to send again as this one.
    successor_of TEXT
) STRICT;

CREATE INDEX outbox_lane ON outbox (channel, conversation, sequence);

CREATE TABLE sent_here (
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (channel, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE reaction (
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    emoji TEXT NOT NULL,
    PRIMARY KEY (channel, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE pause (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    -- Whether the history was read again since the AI was paused.
    read_again INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

-- What became of every row, without its content.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Informational only, so the database's own clock will do.
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    row TEXT NOT NULL,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    operation TEXT NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
