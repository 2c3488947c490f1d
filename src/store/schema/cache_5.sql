-- How broadcasts sent from this desk stand, as last read.
CREATE TABLE broadcast (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    is_finished INTEGER NOT NULL,
    text TEXT,
    recipients INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    created_at INTEGER,
    completed_at INTEGER,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER broadcast_inserted AFTER INSERT ON broadcast BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
