-- What was made of messages: drafts, translations, transcripts. It goes with
-- its conversation.
CREATE TABLE suggestion (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    -- When somebody began to make it.
    begun_at INTEGER NOT NULL,
    -- What came of it, as a JSON object; NULL while it is being made.
    made TEXT,
    is_ready INTEGER GENERATED ALWAYS AS (made IS NOT NULL AND json_extract(made, '$.Ok') IS NOT NULL) VIRTUAL,
    PRIMARY KEY (conversation, kind, message)
) STRICT, WITHOUT ROWID;
