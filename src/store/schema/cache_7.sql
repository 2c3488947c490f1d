-- The approved templates as last read, in the server's order.
CREATE TABLE template (
    channel TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    category TEXT NOT NULL,
    -- A JSON array, as the server sent it.
    components TEXT NOT NULL,
    PRIMARY KEY (channel, position)
) STRICT, WITHOUT ROWID;
