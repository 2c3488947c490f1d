-- Since when a row could have left: waiting for a connection does not move it.
ALTER TABLE outbox ADD COLUMN due_at INTEGER;
-- The first attempt by the server's clock and by the time since boot, as far as they were known.
ALTER TABLE outbox ADD COLUMN first_attempt_server_at INTEGER;
ALTER TABLE outbox ADD COLUMN first_attempt_since_boot INTEGER;
ALTER TABLE outbox ADD COLUMN last_attempt_at INTEGER;
-- Tells the channel key and server of the first attempt apart from others: no other knows its key.
ALTER TABLE outbox ADD COLUMN attempted_as TEXT;
-- The newest message its writer had on screen.
ALTER TABLE outbox ADD COLUMN seen_at INTEGER;
ALTER TABLE outbox ADD COLUMN seen_id TEXT;
-- The balance before the first attempt of what is dear.
ALTER TABLE outbox ADD COLUMN credits_before REAL;
-- Looks into the history for a text that may have been sent.
ALTER TABLE outbox ADD COLUMN looks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN looked_at INTEGER;
ALTER TABLE outbox ADD COLUMN absent_at INTEGER;
-- 'absent', or a line for each message that could be it.
ALTER TABLE outbox ADD COLUMN finding TEXT;

-- What a person said about a row. Keys sent for one wish: at most one more than these.
CREATE TABLE decision (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    channel TEXT NOT NULL,
    row TEXT NOT NULL,
    -- The row that stands for the wish from then on; NULL for none.
    successor TEXT,
    word TEXT NOT NULL CHECK
        (word IN ('send anyway', 'same key', 'new key', 'adopt', 'drop', 'edit')),
    -- Tells keys apart without telling them.
    key_print TEXT NOT NULL
) STRICT;

CREATE INDEX decision_row ON decision (row);

-- A pause is a lease: it has an owner and an age.
ALTER TABLE pause ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE pause ADD COLUMN since INTEGER NOT NULL DEFAULT 0;

-- When a conversation was handed back to the AI from here, by the server's clock where it told.
CREATE TABLE handback (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;
