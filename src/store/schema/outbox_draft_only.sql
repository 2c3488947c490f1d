-- Conversations in which the AI stays paused and drafts are made ready in its
-- place; 0: not this one, although its tab is.
CREATE TABLE draft_only (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    is_on INTEGER NOT NULL,
    -- Whether the tab's setting said so, not a person.
    by_tab INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;
