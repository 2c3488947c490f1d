-- What assistants outside this desk propose. No reader of the outbox looks here.
CREATE TABLE proposal (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    proposer TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- What would be done, as a JSON object with its kind.
    change TEXT NOT NULL,
    seen_at INTEGER,
    seen_id TEXT,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX proposal_conversation ON proposal (channel, conversation);

-- What assistants asked for and what became of it, without any content.
CREATE TABLE assistant_log (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    assistant TEXT NOT NULL,
    asked TEXT NOT NULL,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    outcome TEXT NOT NULL
) STRICT;
