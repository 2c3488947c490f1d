-- What people said of answers of the AI, with the words: the cache may be
-- deleted.
CREATE TABLE review (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    message TEXT NOT NULL,
    title TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    is_good INTEGER NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    corrected TEXT NOT NULL DEFAULT '',
    reviewer TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (channel, message)
) STRICT;
CREATE INDEX review_said ON review (said_at);
