-- All of this can be read again from the server.
CREATE TABLE meta (
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (channel, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
    channel TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    workspace_name TEXT,
    assistant_name TEXT,
    platform TEXT NOT NULL,
    environment TEXT NOT NULL,
    number TEXT,
    credits REAL NOT NULL,
    messaging_tier TEXT,
    quality_rating TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE conversation (
    number INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    -- Newest activity known, from the list or from a message: the list's order.
    sort_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    is_closed INTEGER NOT NULL,
    address TEXT,
    name TEXT,
    username TEXT,
    email TEXT,
    message_count INTEGER NOT NULL,
    preview TEXT NOT NULL,
    last_message_at INTEGER,
    created_at INTEGER,
    has_referral INTEGER NOT NULL DEFAULT 0,
    referral_type TEXT,
    referral_headline TEXT,
    referral_body TEXT,
    referral_url TEXT,
    service_window TEXT NOT NULL,
    automation TEXT NOT NULL,
    -- Facts of this desk, kept in the transaction that changes what they come from.
    waiting_since INTEGER,
    last_inbound_at INTEGER,
    unread INTEGER NOT NULL DEFAULT 0,
    seen_at INTEGER,
    seen_id TEXT,
    -- Outbox rows that wait for a person: a copy, mended at every start.
    stuck INTEGER NOT NULL DEFAULT 0,
    -- Whether the list told of changes the history has not been read for.
    behind INTEGER NOT NULL DEFAULT 1,
    -- Whether it was there before this desk: its first history rings nothing.
    quiet INTEGER NOT NULL DEFAULT 0,
    -- The newest message when the history was last read whole to its joint.
    read_at INTEGER,
    read_id TEXT,
    -- Where the messages older than the stored ones begin on the server.
    older_cursor TEXT,
    reached_start INTEGER NOT NULL DEFAULT 0,
    needs INTEGER GENERATED ALWAYS AS
        ((is_closed = 0 AND waiting_since IS NOT NULL) OR stuck > 0) VIRTUAL,
    raw TEXT NOT NULL,
    UNIQUE (channel, id)
) STRICT;

CREATE INDEX conversation_all ON conversation (channel, sort_at, id);
CREATE INDEX conversation_by_state ON conversation (channel, is_closed, sort_at, id);
CREATE INDEX conversation_needs ON conversation (channel, sort_at, id) WHERE needs = 1;
CREATE INDEX conversation_behind ON conversation (channel, is_closed, sort_at) WHERE behind = 1;
CREATE INDEX conversation_stuck ON conversation (channel, id) WHERE stuck > 0;

CREATE TABLE message (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    id TEXT NOT NULL,
    sort_at INTEGER NOT NULL,
    platform_id TEXT,
    inbound INTEGER NOT NULL,
    sender TEXT NOT NULL,
    content TEXT NOT NULL,
    content_type TEXT NOT NULL,
    media_url TEXT,
    delivery TEXT NOT NULL,
    created_at INTEGER,
    delivered_at INTEGER,
    read_at INTEGER,
    quotes TEXT,
    unreadable INTEGER NOT NULL,
    -- Made here from a send's answer; the server's own item replaces it.
    provisional INTEGER NOT NULL DEFAULT 0,
    raw TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX message_id ON message (conversation, id);
CREATE INDEX message_order ON message (conversation, sort_at, id);
