-- Format 4: which processes serve the database, and when each was last heard of,
-- by the server's clock.
CREATE TABLE processes (
    id TEXT COLLATE "C" PRIMARY KEY,
    process BIGINT NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
) WITH (fillfactor = 50);
