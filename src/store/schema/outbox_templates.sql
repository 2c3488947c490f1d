-- Adds rows that submit templates: a CHECK is changed by building the table again.
CREATE TABLE outbox_with_templates (
    -- Sending order within a lane.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('conversation', 'thread', 'address', 'number', 'broadcasts',
        'contact', 'webhooks', 'templates', 'media')),
    -- Id within the kind; empty where there is only one.
    lane_id TEXT NOT NULL,
    conversation TEXT GENERATED ALWAYS AS (iif(lane = 'conversation', lane_id, NULL)) VIRTUAL,
    operation TEXT NOT NULL CHECK (operation IN ('send', 'send-content', 'react', 'pause', 'resume', 'close',
        'mail', 'thread', 'sms', 'call', 'broadcast', 'contact', 'contact-delete', 'webhook',
        'webhook-delete', 'template-submit', 'upload')),
    -- Fields of the operation, as a JSON object.
    payload TEXT NOT NULL,
    idempotency_key TEXT NOT NULL UNIQUE,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    content_type TEXT,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    first_attempt_at INTEGER,
    -- Number of attempts that may have reached the server under the key.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Number of attempts without a clear answer.
    failures INTEGER NOT NULL DEFAULT 0,
    -- Fencing token: grows with each claim, and an outcome must name its claim.
    fence INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sending', 'uncertain', 'stopped')),
    stop TEXT,
    why TEXT,
    -- Stopped row that this one sends again.
    successor_of TEXT,
    due_at INTEGER,
    first_attempt_server_at INTEGER,
    first_attempt_since_boot INTEGER,
    last_attempt_at INTEGER,
    attempted_as TEXT,
    seen_at INTEGER,
    seen_id TEXT,
    credits_before REAL,
    looks INTEGER NOT NULL DEFAULT 0,
    looked_at INTEGER,
    absent_at INTEGER,
    finding TEXT,
    -- Time for which a person scheduled it; NULL to send it as soon as possible.
    planned_at INTEGER,
    -- Process that claimed it; the claim of an ended process need not lapse.
    claimed_by TEXT,
    -- Account that the row is for, and fingerprint of the credential of the process that queued it;
    -- NULL in older rows.
    written_for TEXT,
    written_as TEXT,
    -- Other account that a person was offered to send the row from.
    offered_account TEXT
) STRICT;
-- Continues the numbers after the last one used.
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'outbox_with_templates', seq FROM sqlite_sequence WHERE name = 'outbox';
INSERT INTO outbox_with_templates (
    sequence, id, channel, lane, lane_id, operation, payload, idempotency_key, method, path,
    content_type, body, created_at, not_before, first_attempt_at, attempts, failures, fence,
    lease_until, state, stop, why, successor_of, due_at, first_attempt_server_at,
    first_attempt_since_boot, last_attempt_at, attempted_as, seen_at, seen_id, credits_before,
    looks, looked_at, absent_at, finding, planned_at, claimed_by, written_for, written_as,
    offered_account
) SELECT
    sequence, id, channel, lane, lane_id, operation, payload, idempotency_key, method, path,
    content_type, body, created_at, not_before, first_attempt_at, attempts, failures, fence,
    lease_until, state, stop, why, successor_of, due_at, first_attempt_server_at,
    first_attempt_since_boot, last_attempt_at, attempted_as, seen_at, seen_id, credits_before,
    looks, looked_at, absent_at, finding, planned_at, claimed_by, written_for, written_as,
    offered_account
FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_with_templates RENAME TO outbox;
CREATE INDEX outbox_lane ON outbox (channel, lane, lane_id, sequence);
CREATE INDEX outbox_conversation ON outbox (channel, conversation, sequence);
CREATE TRIGGER identity_of_claim AFTER UPDATE OF attempts ON outbox WHEN new.attempts > old.attempts BEGIN
    UPDATE identity SET generation = generation + 1;
END;
