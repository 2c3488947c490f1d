-- Until when somebody was at this desk, in any process, with the newest number
-- of the audit then; and the same of the latest absence.
CREATE TABLE presence (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    here_until INTEGER NOT NULL,
    audit INTEGER NOT NULL,
    left_at INTEGER,
    left_audit INTEGER,
    back_at INTEGER
) STRICT;
