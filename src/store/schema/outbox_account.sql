-- The account that each row is written for, and what a row was written with
-- where no account was known. Rows from before have neither.
ALTER TABLE outbox ADD COLUMN written_for TEXT;
-- The credential, as a print, of the process that queued it.
ALTER TABLE outbox ADD COLUMN written_as TEXT;
-- The account that a person was asked whether it may leave from.
ALTER TABLE outbox ADD COLUMN offered_account TEXT;
-- A broadcast in waves belongs to the account it was planned for.
ALTER TABLE campaign ADD COLUMN written_for TEXT;
ALTER TABLE campaign ADD COLUMN written_as TEXT;

-- The account behind each channel as `GET /account` told it last, and the
-- credential, as a print, that it was told to.
CREATE TABLE sending_account (
    channel TEXT PRIMARY KEY,
    credential TEXT NOT NULL,
    account TEXT NOT NULL,
    confirmed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A further word that a person may say about a row.
CREATE TABLE decision_with_accounts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    channel TEXT NOT NULL,
    row TEXT NOT NULL,
    -- The row that stands for the wish from then on; NULL for none.
    successor TEXT,
    word TEXT NOT NULL CHECK
        (word IN ('send anyway', 'same key', 'new key', 'send from here', 'adopt', 'drop', 'edit')),
    -- Tells keys apart without telling them.
    key_print TEXT NOT NULL
) STRICT;
INSERT INTO decision_with_accounts (number, at, channel, row, successor, word, key_print)
    SELECT number, at, channel, row, successor, word, key_print FROM decision;
DROP TABLE decision;
ALTER TABLE decision_with_accounts RENAME TO decision;
CREATE INDEX decision_row ON decision (row);
