-- Every write of the interface: lanes beside conversations, and what is
-- wanted as one payload. No row is lost, and none changes its place.
CREATE TABLE outbox_new (
    -- The order in which a lane's rows leave.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('conversation', 'thread', 'address', 'number', 'broadcasts',
        'contact', 'webhooks', 'media')),
    -- Which of its kind; empty where there is only one.
    lane_id TEXT NOT NULL,
    conversation TEXT GENERATED ALWAYS AS (iif(lane = 'conversation', lane_id, NULL)) VIRTUAL,
    operation TEXT NOT NULL CHECK (operation IN ('send', 'send-content', 'react', 'pause', 'resume', 'close',
        'mail', 'thread', 'sms', 'call', 'broadcast', 'contact', 'contact-delete', 'webhook',
        'webhook-delete', 'upload')),
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
    successor_of TEXT
) STRICT;

INSERT INTO outbox_new (sequence, id, channel, lane, lane_id, operation, payload, idempotency_key, method,
    path, content_type, body, created_at, not_before, first_attempt_at, attempts, failures, fence,
    lease_until, state, stop, why, successor_of)
SELECT sequence, id, channel, 'conversation', conversation, operation,
    CASE operation
        WHEN 'send' THEN json_object('to', recipient, 'text', text, 'replyTo', quoted)
        WHEN 'react' THEN json_object('message', target, 'emoji', emoji)
        ELSE '{}'
    END,
    idempotency_key, method, path, iif(length(body) > 0, 'application/json', NULL), body, created_at,
    not_before, first_attempt_at, attempts, failures, fence, lease_until, state, stop, why, successor_of
FROM outbox;

-- A number that was given once is never given again.
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'outbox')
    WHERE name = 'outbox_new' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox');
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'outbox_new', seq FROM sqlite_sequence
    WHERE name = 'outbox' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox_new');

DROP TABLE outbox;
ALTER TABLE outbox_new RENAME TO outbox;
CREATE INDEX outbox_lane ON outbox (channel, lane, lane_id, sequence);
CREATE INDEX outbox_conversation ON outbox (channel, conversation, sequence);

ALTER TABLE audit RENAME COLUMN conversation TO lane_id;
ALTER TABLE audit ADD COLUMN lane TEXT NOT NULL DEFAULT 'conversation';
-- What the server made of it: the id of a message, a broadcast, a contact.
ALTER TABLE audit ADD COLUMN made TEXT NOT NULL DEFAULT '';

-- Where the server was seen to recognise a key that it had seen before.
CREATE TABLE recognised (
    base_url TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (base_url, path)
) STRICT, WITHOUT ROWID;
