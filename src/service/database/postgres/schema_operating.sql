-- Format 15: what the operator of the service needs.
-- Attempts to deliver events to webhooks, numbered for each webhook. Ids, numbers and fixed words only.
CREATE TABLE delivery_attempts (
    webhook TEXT COLLATE "C" NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    number BIGINT NOT NULL,
    delivery TEXT COLLATE "C" NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    -- `message.received`, …
    name TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    -- arrived, failed, given up, refused
    outcome TEXT COLLATE "C" NOT NULL,
    -- Status of the answer; null without one.
    status BIGINT,
    -- Why there was no answer.
    failure TEXT COLLATE "C",
    millis BIGINT NOT NULL,
    at BIGINT NOT NULL,
    next_at BIGINT,
    PRIMARY KEY (webhook, number)
);
CREATE INDEX delivery_attempts_by_time ON delivery_attempts (at);
CREATE INDEX IF NOT EXISTS deliveries_dead ON deliveries (webhook, id) WHERE due_at IS NULL AND delivered_at IS NULL;
ALTER TABLE webhooks ADD COLUMN IF NOT EXISTS ended_why TEXT COLLATE "C";
ALTER TABLE workspaces ADD COLUMN IF NOT EXISTS suspended_at BIGINT;
