-- Format 2: any number of processes share the database.
DROP TABLE lease;

-- The row that every transaction changes first, so that those of all processes
-- are committed one after another: how many there were, and the newest time a
-- row was given. A process of another version than the format's commits nothing.
CREATE TABLE commit_order (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    format BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    stamp BIGINT NOT NULL
) WITH (fillfactor = 20);
INSERT INTO commit_order (id, format, revision, stamp) VALUES (1, 0, 0, 0);

-- Which process does what falls due, until when by the server's clock. The fence
-- grows with each that takes over.
CREATE TABLE leases (
    name TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT COLLATE "C" NOT NULL,
    process BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    until BIGINT NOT NULL
) WITH (fillfactor = 50);
INSERT INTO leases (name, holder, process, fence, until) VALUES ('background', '', 0, 0, 0);

-- Short-lived values that processes change in turn: calls counted against
-- limits, claims on idempotency keys. Worth nothing once their time is over.
CREATE TABLE shared_state (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BYTEA NOT NULL,
    until BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Bytes without a row may be those of an upload that is under way.
ALTER TABLE media_parts ADD COLUMN kept_at BIGINT NOT NULL
    DEFAULT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT);
