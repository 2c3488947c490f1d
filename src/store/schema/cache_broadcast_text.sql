-- What broadcasts said, as one short line each. Messages of theirs have
-- 'broadcast' as their sender; a broadcast answers nobody.
CREATE TABLE broadcast_text (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX broadcast_text_at ON broadcast_text (channel, at);
DROP INDEX message_order;
ALTER TABLE message DROP COLUMN said_by;
ALTER TABLE message ADD COLUMN said_by INTEGER GENERATED ALWAYS AS
    (CASE WHEN unreadable OR sender = 'broadcast' THEN NULL WHEN inbound THEN 0 WHEN sender = 'ai' THEN 1
        ELSE 2 END) VIRTUAL;
CREATE INDEX message_order ON message (conversation, sort_at, id, said_by);
