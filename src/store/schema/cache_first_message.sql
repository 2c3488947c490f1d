-- When the first message of a conversation came or left, as the server tells it.
ALTER TABLE conversation ADD COLUMN first_message_at INTEGER;
