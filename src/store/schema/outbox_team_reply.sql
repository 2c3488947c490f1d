-- Canned replies of the team as last known, with the changes of this desk that the service has not accepted yet.
CREATE TABLE team_reply (
    name TEXT PRIMARY KEY,
    -- NULL: deleted here.
    text TEXT,
    -- Author of the newest change.
    author TEXT NOT NULL,
    -- Number of the change that waits, in the order of the changes; 0: none.
    pending INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
