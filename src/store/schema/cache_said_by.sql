-- Who said a message, as `model/service_levels.rs` tells people apart, in the
-- index of histories: measuring reads no message.
ALTER TABLE message ADD COLUMN said_by INTEGER GENERATED ALWAYS AS
    (CASE WHEN unreadable THEN NULL WHEN inbound THEN 0 WHEN sender = 'ai' THEN 1 ELSE 2 END) VIRTUAL;
DROP INDEX message_order;
CREATE INDEX message_order ON message (conversation, sort_at, id, said_by);
