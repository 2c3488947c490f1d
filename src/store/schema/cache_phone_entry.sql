-- Calls and texts of phone channels, which have no histories to read: what customers wrote or said, as
-- the trigger told it, and the newest of each number, as the list told it.
CREATE TABLE phone_entry (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    -- Id of the message; for an entry of the list, its time.
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- 1: from the customer; 0: the direction is not told.
    is_inbound INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (conversation, id)
) STRICT, WITHOUT ROWID;
