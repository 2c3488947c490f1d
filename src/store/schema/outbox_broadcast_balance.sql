-- The balance before a broadcast was taken, and once all of it was tried.
CREATE TABLE broadcast_balance (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    credits_before REAL NOT NULL,
    credits_after REAL,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;

-- Since when a broadcast in waves stands as it does.
ALTER TABLE campaign ADD COLUMN phase_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX campaign_phase_at ON campaign (phase_at);
CREATE TRIGGER campaign_phase_changed AFTER UPDATE OF phase ON campaign WHEN old.phase <> new.phase BEGIN
    UPDATE campaign SET phase_at = desk_now() WHERE number = new.number;
END;
