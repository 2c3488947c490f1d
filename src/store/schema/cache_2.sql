-- Why the AI asks for a person; such a conversation needs one, whoever spoke last.
ALTER TABLE conversation ADD COLUMN escalation TEXT;
DROP INDEX conversation_needs;
ALTER TABLE conversation DROP COLUMN needs;
ALTER TABLE conversation ADD COLUMN needs INTEGER GENERATED ALWAYS AS
    ((is_closed = 0 AND (waiting_since IS NOT NULL OR escalation IS NOT NULL)) OR stuck > 0) VIRTUAL;
CREATE INDEX conversation_needs ON conversation (channel, sort_at, id) WHERE needs = 1;
