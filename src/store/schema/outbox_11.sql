-- The text of a draft that another window wrote over: the newest of each
-- conversation, until a text of it is sent.
CREATE TABLE draft_aside (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;
-- Which process claimed a row, so that the claim of one that has ended does
-- not have to lapse.
ALTER TABLE outbox ADD COLUMN claimed_by TEXT;
