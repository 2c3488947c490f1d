-- Rows that submit templates.
CREATE TABLE outbox_with_templates (
    -- The order in which a lane's rows leave.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('conversation', 'thread', 'address', 'number', 'broadcasts',
        'contact', 'webhooks', 'templates', 'media')),
    -- Which of its kind; empty where there is only one.
    lane_id TEXT NOT NULL,
    conversation TEXT GENERATED ALWAYS AS (iif(lane = 'conversation', lane_id, NULL)) VIRTUAL,
    operation TEXT NOT NULL CHECK (operation IN ('send', 'send-content', 'react', 'pause', 'resume', 'close',
        'mail', 'thread', 'sms', 'call', 'broadcast', 'contact', 'contact-delete', 'webhook',
        'webhook-delete', 'template-submit', 'upload')),
    -- What the operation says beside its word, as a JSON object.
    payload TEXT NOT NULL,
    idempotency_key TEXT NOT NULL UNIQUE,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    content_type TEXT,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    first_attempt_at INTEGER,
    -- How often bytes may have left under the key.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- How often no clear answer came.
    failures INTEGER NOT NULL DEFAULT 0,
    -- Grows with every claim: who settles must name the claim it made.
    fence INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sending', 'uncertain', 'stopped')),
    stop TEXT,
    why TEXT,
    -- The stopped row a person asked to send again as this one.
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
    -- When a person wants it to leave: a time far off, which no clock that was
    -- set explains; NULL where it leaves as soon as it may.
    planned_at INTEGER,
    -- Which process claimed it, so that the claim of one that has ended does
    -- not have to lapse.
    claimed_by TEXT,
    -- The account that each row is written for, and the credential, as a print, of the process that
    -- queued it. Rows from before have neither.
    written_for TEXT,
    written_as TEXT,
    -- The account that a person was asked whether it may leave from.
    offered_account TEXT
) STRICT;
-- The numbers go on from the last one that was given.
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
