-- What people of this desk write for themselves: it is never sent.
CREATE TABLE note (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX note_conversation ON note (channel, conversation, created_at, number);

-- A note that is not saved yet, kept apart from what may be sent.
ALTER TABLE draft ADD COLUMN note TEXT NOT NULL DEFAULT '';
