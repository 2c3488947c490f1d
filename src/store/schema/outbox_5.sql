-- Conversations that were put aside.
CREATE TABLE snooze (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    -- When it comes back; NULL: when the customer writes.
    until INTEGER,
    -- The newest inbound message known then: a later one brings it back.
    after INTEGER NOT NULL,
    set_at INTEGER NOT NULL,
    -- When its time had come.
    woken_at INTEGER,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

CREATE INDEX snooze_due ON snooze (channel, until) WHERE woken_at IS NULL AND until IS NOT NULL;

-- Who takes care of a conversation.
CREATE TABLE claim (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    agent TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    word TEXT NOT NULL,
    -- Whether the server's contact has it too.
    shared INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation, word)
) STRICT, WITHOUT ROWID;

CREATE INDEX tag_word ON tag (word);

-- From when a pause counts that was told to go on; 0: from its beginning.
ALTER TABLE pause ADD COLUMN extended_at INTEGER NOT NULL DEFAULT 0;

-- What became of a row is looked up by its name.
CREATE INDEX audit_row ON audit (row, number);
