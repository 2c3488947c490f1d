-- Contacts as last read, by phone number; without an id the server has none.
CREATE TABLE contact (
    channel TEXT NOT NULL,
    phone TEXT NOT NULL,
    id TEXT,
    name TEXT,
    email TEXT,
    -- A JSON array of texts.
    tags TEXT NOT NULL,
    -- A JSON object, as the server sent it.
    metadata TEXT NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (channel, phone)
) STRICT, WITHOUT ROWID;

-- Whose conversation it is: for tags, and for the same person in other tabs.
CREATE INDEX conversation_address ON conversation (address) WHERE address IS NOT NULL;
