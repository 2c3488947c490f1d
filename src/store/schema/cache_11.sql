-- The account behind a mail key, as last read: a JSON object.
CREATE TABLE mailbox (
    channel TEXT NOT NULL PRIMARY KEY,
    facts TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Whom mails were exchanged with, as far as was read.
CREATE TABLE correspondent (
    channel TEXT NOT NULL,
    -- In lower case.
    folded TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT,
    last_at INTEGER,
    count INTEGER,
    phone TEXT,
    PRIMARY KEY (channel, folded)
) STRICT, WITHOUT ROWID;

CREATE INDEX correspondent_newest ON correspondent (channel, last_at);
