-- What a rule weighs can be taught: each reason says which rule it is of, and
-- all that has some is weighed again in slices.
UPDATE conversation SET trouble = NULL WHERE trouble > 0;
CREATE INDEX conversation_weighed ON conversation (number) WHERE trouble > 0;
-- Those behind this number are still to be weighed; none if all are.
CREATE TABLE trouble_progress (
    after INTEGER NOT NULL
) STRICT;
