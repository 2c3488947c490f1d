-- Which process asks and sends for a channel, and how it fares there.
CREATE TABLE lease (
    name TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    -- The owner's last word on the connection, for the processes that only read.
    word TEXT,
    at INTEGER,
    code TEXT,
    why TEXT,
    budget INTEGER
) STRICT, WITHOUT ROWID;

-- What people at other processes ask the owner to read.
CREATE TABLE asked (
    lease TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('refresh', 'open', 'older')),
    conversation TEXT NOT NULL,
    PRIMARY KEY (lease, what, conversation)
) STRICT, WITHOUT ROWID;

-- Grows with every change that shows, so that a lease's renewal is not taken
-- for one.
CREATE TABLE revision (
    channel TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER conversation_inserted AFTER INSERT ON conversation BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER conversation_updated AFTER UPDATE ON conversation BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER conversation_deleted AFTER DELETE ON conversation BEGIN
    INSERT INTO revision (channel, number) VALUES (old.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER account_inserted AFTER INSERT ON account BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER account_updated AFTER UPDATE ON account BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
