-- Attempts to deliver events to webhooks, numbered for each webhook. Ids, numbers and fixed words only.
CREATE TABLE IF NOT EXISTS delivery_attempts (
    webhook TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    number INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    event TEXT NOT NULL,
    -- `message.received`, …
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    -- arrived, failed, given up, refused
    outcome TEXT NOT NULL,
    -- Status of the answer; null without one.
    status INTEGER,
    -- Why there was no answer.
    failure TEXT,
    millis INTEGER NOT NULL,
    at INTEGER NOT NULL,
    next_at INTEGER,
    PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS delivery_attempts_by_time ON delivery_attempts (at);
CREATE INDEX IF NOT EXISTS deliveries_dead ON deliveries (webhook, id) WHERE due_at IS NULL AND delivered_at IS NULL;
