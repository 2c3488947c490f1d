-- What the newest messages tell of a conversation with the AI: a score, and
-- why, in words. NULL: not looked at yet.
ALTER TABLE conversation ADD COLUMN trouble INTEGER;
ALTER TABLE conversation ADD COLUMN trouble_why TEXT;
