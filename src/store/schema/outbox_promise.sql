-- What people of this desk promised a customer, and until when: one at a time
-- of a conversation.
CREATE TABLE promise (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    words TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    agent TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX promise_due ON promise (due_at);
