-- What changes a server tells without a time: how it was before, until when.
-- Nobody tells it again, but it goes with its conversation.
CREATE TABLE conversation_past (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    until INTEGER NOT NULL,
    status TEXT NOT NULL,
    is_closed INTEGER NOT NULL,
    service_window TEXT NOT NULL,
    automation TEXT NOT NULL,
    escalation TEXT,
    seen_at INTEGER,
    seen_id TEXT
) STRICT;
CREATE INDEX conversation_past_order ON conversation_past (conversation, until);
CREATE INDEX conversation_past_until ON conversation_past (until);

-- The same of how far a message came, where its own times do not tell.
CREATE TABLE message_past (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    message TEXT NOT NULL,
    until INTEGER NOT NULL,
    delivery TEXT NOT NULL
) STRICT;
CREATE INDEX message_past_order ON message_past (conversation, message, until);

-- Since when this is kept.
CREATE TABLE past_since (
    at INTEGER NOT NULL
) STRICT;
INSERT INTO past_since VALUES (desk_now());

CREATE TRIGGER conversation_past_kept
AFTER UPDATE OF status, is_closed, service_window, automation, escalation, seen_at, seen_id ON conversation
WHEN (old.status, old.is_closed, old.service_window, old.automation, old.escalation, old.seen_at, old.seen_id)
    IS NOT (new.status, new.is_closed, new.service_window, new.automation, new.escalation, new.seen_at, new.seen_id)
BEGIN
    INSERT INTO conversation_past VALUES (old.number, desk_now(), old.status, old.is_closed, old.service_window,
        old.automation, old.escalation, old.seen_at, old.seen_id);
    -- The newest changes of each are enough.
    DELETE FROM conversation_past WHERE conversation = old.number AND until < (
        SELECT until FROM conversation_past WHERE conversation = old.number
            ORDER BY until DESC LIMIT 1 OFFSET 199);
END;

CREATE TRIGGER message_past_kept AFTER UPDATE OF delivery ON message
WHEN old.delivery <> new.delivery AND NOT (new.delivery = 'delivered' AND new.delivered_at IS NOT NULL)
    AND NOT (new.delivery = 'read' AND new.read_at IS NOT NULL)
BEGIN
    INSERT INTO message_past VALUES (old.conversation, old.id, desk_now(), old.delivery);
END;
