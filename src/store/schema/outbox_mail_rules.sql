-- What is always done with mail of one address; the address in lower case.
CREATE TABLE mail_rule (
    channel TEXT NOT NULL,
    sender TEXT NOT NULL,
    -- What is done, as `archive` or `category:billing`.
    action TEXT NOT NULL,
    is_on INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    -- Mail newer than this is acted on, by the server's clock.
    after INTEGER NOT NULL,
    PRIMARY KEY (channel, sender, action)
) STRICT, WITHOUT ROWID;

-- What rules did: once for each mail that came, in the transaction that queues the change.
CREATE TABLE rule_action (
    channel TEXT NOT NULL,
    thread TEXT NOT NULL,
    sender TEXT NOT NULL,
    action TEXT NOT NULL,
    -- The newest mail of the thread then.
    mail_at INTEGER NOT NULL,
    -- The row of the outbox.
    row TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, thread, sender, action, mail_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_action_at ON rule_action (channel, at);
CREATE INDEX rule_action_row ON rule_action (row);
