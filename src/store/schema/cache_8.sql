-- What the newest messages tell of a conversation with the AI: a score, and
-- its reasons, one a line, each weight before its words. NULL: not looked at
-- yet.
ALTER TABLE conversation ADD COLUMN trouble INTEGER;
ALTER TABLE conversation ADD COLUMN trouble_why TEXT;
-- Those still to be looked at, found without a walk over all.
CREATE INDEX conversation_unlooked ON conversation (number) WHERE trouble IS NULL;
-- Those in trouble, found without a walk over all.
CREATE INDEX conversation_troubled ON conversation (number, automation) WHERE trouble >= 30;
