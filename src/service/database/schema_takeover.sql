-- Threads of mail that somebody has taken over from the assistant or handed back
-- to it. A conversation has a column for that.
CREATE TABLE IF NOT EXISTS thread_automation (
    thread TEXT PRIMARY KEY,
    -- Whether the assistant answers.
    enabled INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
