-- How broadcasts stood over time, for charts: nobody tells it again.
CREATE TABLE broadcast_sample (
    broadcast TEXT NOT NULL,
    at INTEGER NOT NULL,
    recipients INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    PRIMARY KEY (broadcast, at)
) STRICT, WITHOUT ROWID;
