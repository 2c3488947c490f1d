-- Format 8: threads of mail that somebody has taken over from the assistant or handed back
-- to it. A conversation has a column for that.
CREATE TABLE thread_automation (
    thread TEXT COLLATE "C" PRIMARY KEY,
    -- Whether the assistant answers.
    enabled BOOLEAN NOT NULL
);
