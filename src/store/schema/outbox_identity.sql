-- Tells this outbox from others, and an older copy of it from a newer state.
CREATE TABLE identity (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    id TEXT NOT NULL,
    -- Grows with whatever may leave, has left or was given up.
    generation INTEGER NOT NULL
) STRICT;
INSERT INTO identity (number, id, generation) VALUES (1, lower(hex(randomblob(16))), 0);

CREATE TRIGGER identity_of_audit AFTER INSERT ON audit BEGIN
    UPDATE identity SET generation = generation + 1;
END;
CREATE TRIGGER identity_of_claim AFTER UPDATE OF attempts ON outbox WHEN new.attempts > old.attempts BEGIN
    UPDATE identity SET generation = generation + 1;
END;
CREATE TRIGGER identity_of_campaign AFTER UPDATE OF phase ON campaign BEGIN
    UPDATE identity SET generation = generation + 1;
END;
