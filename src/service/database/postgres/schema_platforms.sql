-- Format 9: the address in the form that the platform gives it, and when a
-- message was sent as the platform says it.
ALTER TABLE conversations ADD COLUMN platform_peer TEXT COLLATE "C";
ALTER TABLE messages ADD COLUMN sent_at BIGINT;
CREATE INDEX messages_by_history ON messages (conversation, coalesce(sent_at, created_at) DESC, id DESC);
