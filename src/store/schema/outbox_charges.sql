-- What broadcasts were charged when they were taken: nobody tells it again.
CREATE TABLE broadcast_charge (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    credits REAL NOT NULL,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;
