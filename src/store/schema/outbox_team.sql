-- Channels of the team that this desk has joined.
CREATE TABLE team_channel (
    channel TEXT PRIMARY KEY,
    -- Time of the first complete reading of what the team shares.
    read_at INTEGER
) STRICT, WITHOUT ROWID;

-- Changes that the team's service has not accepted yet. The mark of the conversation and this row
-- are written in one transaction. A part of a conversation has one row, its newest.
CREATE TABLE team_change (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    part TEXT NOT NULL CHECK (part IN ('claim', 'note', 'tags', 'snooze')),
    -- Id of the note.
    item TEXT NOT NULL DEFAULT '',
    action TEXT NOT NULL CHECK (action IN ('claim', 'take over', 'release', 'add', 'edit', 'delete', 'set')),
    -- Person who gets the conversation, text of the note, tags as lines, or note of the snooze.
    text TEXT,
    until INTEGER,
    -- Version of the claim that the change replaces.
    version INTEGER,
    at INTEGER NOT NULL,
    -- Whether a request may have reached the service.
    tried INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX team_change_part ON team_change (channel, conversation, part, item);

-- Conversations with shared state that no list has shown yet.
CREATE TABLE team_unplaced (
    conversation TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Version of the team's claim; NULL: not confirmed by the team.
ALTER TABLE claim ADD COLUMN version INTEGER;
-- Author of a note of the team; NULL: kept on this desk only.
ALTER TABLE note ADD COLUMN author TEXT;
ALTER TABLE note ADD COLUMN edited_at INTEGER;
