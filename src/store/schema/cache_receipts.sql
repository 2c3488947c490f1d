-- Answers of the server to what left from here, as far as scripts ask for them.
CREATE TABLE receipt (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    row TEXT NOT NULL UNIQUE,
    status TEXT,
    credits_used REAL,
    credits_remaining REAL
) STRICT;
