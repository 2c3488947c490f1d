-- All of this can be read again from the server.
CREATE TABLE meta (
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (channel, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
    channel TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    workspace_name TEXT,
    assistant_name TEXT,
    platform TEXT NOT NULL,
    environment TEXT NOT NULL,
    number TEXT,
    credits REAL NOT NULL,
    messaging_tier TEXT,
    quality_rating TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE conversation (
    number INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    -- Newest activity known, from the list or from a message: the list's order.
    sort_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    is_closed INTEGER NOT NULL,
    address TEXT,
    name TEXT,
    username TEXT,
    email TEXT,
    message_count INTEGER NOT NULL,
    preview TEXT NOT NULL,
    last_message_at INTEGER,
    created_at INTEGER,
    has_referral INTEGER NOT NULL DEFAULT 0,
    referral_type TEXT,
    referral_headline TEXT,
    referral_body TEXT,
    referral_url TEXT,
    service_window TEXT NOT NULL,
    automation TEXT NOT NULL,
    -- Facts of this desk, kept in the transaction that changes what they come from.
    waiting_since INTEGER,
    last_inbound_at INTEGER,
    unread INTEGER NOT NULL DEFAULT 0,
    seen_at INTEGER,
    seen_id TEXT,
    -- Outbox rows that wait for a person: a copy, mended at every start.
    stuck INTEGER NOT NULL DEFAULT 0,
    -- Whether the list told of changes the history has not been read for.
    behind INTEGER NOT NULL DEFAULT 1,
    -- Whether it was there before this desk: its first history rings nothing.
    quiet INTEGER NOT NULL DEFAULT 0,
    -- The newest message when the history was last read whole to its joint.
    read_at INTEGER,
    read_id TEXT,
    -- Where the messages older than the stored ones begin on the server.
    older_cursor TEXT,
    reached_start INTEGER NOT NULL DEFAULT 0,
    raw TEXT NOT NULL,
    -- Why the AI asks for a person; such a conversation needs one, whoever spoke last.
    escalation TEXT,
    needs INTEGER GENERATED ALWAYS AS
    ((is_closed = 0 AND (waiting_since IS NOT NULL OR escalation IS NOT NULL)) OR stuck > 0) VIRTUAL,
    -- By what it is ordered among names.
    name_key TEXT NOT NULL DEFAULT '',
    -- What the newest messages tell of a conversation with the AI: a score, and
    -- its reasons, one a line, each weight before its words. NULL: not looked at
    -- yet.
    trouble INTEGER,
    trouble_why TEXT,
    UNIQUE (channel, id)
) STRICT;
CREATE INDEX conversation_all ON conversation (channel, sort_at, id);
CREATE INDEX conversation_by_state ON conversation (channel, is_closed, sort_at, id);
CREATE INDEX conversation_behind ON conversation (channel, is_closed, sort_at) WHERE behind = 1;
CREATE INDEX conversation_stuck ON conversation (channel, id) WHERE stuck > 0;
CREATE INDEX conversation_needs ON conversation (channel, sort_at, id) WHERE needs = 1;
CREATE INDEX conversation_wide ON conversation (sort_at, id, channel, is_closed, automation,
    service_window, unread, waiting_since, last_inbound_at, escalation, stuck, address, name_key);
CREATE INDEX conversation_tagged ON conversation (channel) WHERE instr(raw, '"tags"') > 0;
-- Those still to be looked at, found without a walk over all.
CREATE INDEX conversation_unlooked ON conversation (number) WHERE trouble IS NULL;
-- Those in trouble, found without a walk over all.
CREATE INDEX conversation_troubled ON conversation (number, automation) WHERE trouble >= 30;
-- Whose conversation it is: for tags, and for the same person in other tabs.
CREATE INDEX conversation_address ON conversation (address) WHERE address IS NOT NULL;

CREATE TABLE message (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    id TEXT NOT NULL,
    sort_at INTEGER NOT NULL,
    platform_id TEXT,
    inbound INTEGER NOT NULL,
    sender TEXT NOT NULL,
    content TEXT NOT NULL,
    content_type TEXT NOT NULL,
    media_url TEXT,
    delivery TEXT NOT NULL,
    created_at INTEGER,
    delivered_at INTEGER,
    read_at INTEGER,
    quotes TEXT,
    unreadable INTEGER NOT NULL,
    -- Made here from a send's answer; the server's own item replaces it.
    provisional INTEGER NOT NULL DEFAULT 0,
    raw TEXT NOT NULL,
    -- Its row in the index of words; NULL: not indexed yet.
    place INTEGER
) STRICT;
CREATE UNIQUE INDEX message_id ON message (conversation, id);
CREATE INDEX message_order ON message (conversation, sort_at, id);
CREATE UNIQUE INDEX message_place ON message (place) WHERE place IS NOT NULL;
CREATE INDEX message_media ON message (conversation) WHERE media_url IS NOT NULL;
CREATE INDEX message_failed ON message (conversation) WHERE delivery = 'failed' AND inbound = 0;

-- Which process asks and sends for a channel, and how it fares there.
CREATE TABLE lease (
    name TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    -- The owner's last word on the connection, for the processes that only read.
    word TEXT,
    at INTEGER,
    code TEXT,
    why TEXT,
    budget INTEGER,
    -- A lease is for one kind of work: asking (its name) or sending. Who holds it
    -- says what it is, so that what waits can name it; a process of a higher rank
    -- takes it over at once.
    channel TEXT NOT NULL DEFAULT '',
    sends INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL DEFAULT 'inbox',
    rank INTEGER NOT NULL DEFAULT 2
) STRICT, WITHOUT ROWID;

-- What people at other processes ask the owner to read.
CREATE TABLE asked (
    lease TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('refresh', 'open', 'older')),
    conversation TEXT NOT NULL,
    PRIMARY KEY (lease, what, conversation)
) STRICT, WITHOUT ROWID;

-- Grows with every change that shows, so that a lease's renewal is not taken
-- for one.
CREATE TABLE revision (
    channel TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, prefix = '2 3 4', tokenize = 'ascii'
);

CREATE VIRTUAL TABLE search_people USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, prefix = '2 3', tokenize = 'ascii'
);

-- Messages that were here before the index are added to it in slices: those
-- with a smaller rowid than this are still to come.
CREATE TABLE search_progress (
    below INTEGER NOT NULL
) STRICT;

-- How broadcasts sent from this desk stand, as last read.
CREATE TABLE broadcast (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    is_finished INTEGER NOT NULL,
    text TEXT,
    recipients INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    created_at INTEGER,
    completed_at INTEGER,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;

-- The words of a row of the list: who it is with, and the newest message.
CREATE VIRTUAL TABLE search_list USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, prefix = '2 3', tokenize = 'ascii'
);

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

-- What only a thread of mails has, beside its conversation.
CREATE TABLE thread (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    subject TEXT,
    is_read INTEGER,
    is_starred INTEGER,
    category TEXT,
    priority TEXT,
    -- The place of the priority in a list, the most urgent first.
    urgency INTEGER NOT NULL,
    -- Lists do not tell; a single read, a change or a list of one folder does.
    folder TEXT,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_category ON thread (channel, category);
CREATE INDEX thread_folder ON thread (channel, folder);
CREATE INDEX thread_unread ON thread (channel) WHERE is_read = 0;
CREATE INDEX thread_starred ON thread (channel) WHERE is_starred = 1;

-- What only a mail has, beside its message: a JSON object.
CREATE TABLE letter (
    channel TEXT NOT NULL,
    thread TEXT NOT NULL,
    id TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (channel, thread, id)
) STRICT, WITHOUT ROWID;

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

-- Conversations the server has no more, with the newest message of a customer
-- that was stored of each: what an old answer brings back is not new.
CREATE TABLE gone (
    number INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    newest_at INTEGER NOT NULL,
    newest_id TEXT NOT NULL,
    UNIQUE (channel, id)
) STRICT;

CREATE TRIGGER conversation_inserted AFTER INSERT ON conversation BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER conversation_updated AFTER UPDATE ON conversation BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER conversation_deleted AFTER DELETE ON conversation BEGIN
    INSERT INTO revision (channel, number) VALUES (old.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER account_inserted AFTER INSERT ON account BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER account_updated AFTER UPDATE ON account BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

-- A place is the message's time in microseconds; where that is taken, the
-- next after those of the same second. The odd length of that second keeps
-- its end off the times servers give.
CREATE TRIGGER message_search AFTER UPDATE OF content, sort_at, place ON message
WHEN new.place IS NULL OR old.content IS NOT new.content OR old.sort_at IS NOT new.sort_at BEGIN
    DELETE FROM search WHERE rowid = old.place;
    UPDATE OR IGNORE message SET place = iif(
        EXISTS (SELECT 1 FROM message WHERE place = new.sort_at AND rowid <> new.rowid),
        (SELECT max(place) + 1 FROM message WHERE place BETWEEN new.sort_at AND new.sort_at + 999982),
        new.sort_at) WHERE rowid = new.rowid;
    INSERT INTO search (rowid, words)
        SELECT m.place, search_words(m.content, c.channel, c.number)
        FROM message m JOIN conversation c ON c.number = m.conversation
        WHERE m.rowid = new.rowid AND m.place IS NOT NULL;
END;

CREATE TRIGGER message_search_new AFTER INSERT ON message BEGIN
    UPDATE message SET place = NULL WHERE rowid = new.rowid;
END;

CREATE TRIGGER message_search_gone AFTER DELETE ON message WHEN old.place IS NOT NULL BEGIN
    DELETE FROM search WHERE rowid = old.place;
END;

CREATE TRIGGER conversation_search_new AFTER INSERT ON conversation BEGIN
    INSERT INTO search_people (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.referral_headline), new.channel, new.number));
END;

CREATE TRIGGER conversation_search_gone AFTER DELETE ON conversation BEGIN
    DELETE FROM search_people WHERE rowid = old.number;
END;

CREATE TRIGGER conversation_search_changed
AFTER UPDATE OF name, address, username, email, referral_headline ON conversation
WHEN (old.name, old.address, old.username, old.email, old.referral_headline)
    IS NOT (new.name, new.address, new.username, new.email, new.referral_headline) BEGIN
    DELETE FROM search_people WHERE rowid = old.number;
    INSERT INTO search_people (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.referral_headline), new.channel, new.number));
END;

CREATE TRIGGER broadcast_inserted AFTER INSERT ON broadcast BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

CREATE TRIGGER conversation_name_new AFTER INSERT ON conversation BEGIN
    UPDATE conversation SET name_key = name_key(name, username, address, id) WHERE number = new.number;
END;

CREATE TRIGGER conversation_name_changed AFTER UPDATE OF name, username, address ON conversation
WHEN (old.name, old.username, old.address) IS NOT (new.name, new.username, new.address) BEGIN
    UPDATE conversation SET name_key = name_key(name, username, address, id) WHERE number = new.number;
END;

CREATE TRIGGER conversation_list_new AFTER INSERT ON conversation BEGIN
    INSERT INTO search_list (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.preview), new.channel, 0));
END;

CREATE TRIGGER conversation_list_gone AFTER DELETE ON conversation BEGIN
    DELETE FROM search_list WHERE rowid = old.number;
END;

CREATE TRIGGER conversation_list_changed
AFTER UPDATE OF name, address, username, email, preview ON conversation
WHEN (old.name, old.address, old.username, old.email, old.preview)
    IS NOT (new.name, new.address, new.username, new.email, new.preview) BEGIN
    DELETE FROM search_list WHERE rowid = old.number;
    INSERT INTO search_list (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.preview), new.channel, 0));
END;

CREATE TRIGGER conversation_thread_gone AFTER DELETE ON conversation BEGIN
    DELETE FROM thread WHERE channel = old.channel AND id = old.id;
    DELETE FROM letter WHERE channel = old.channel AND thread = old.id;
END;

CREATE TRIGGER thread_updated AFTER UPDATE ON thread BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;

-- All that is stored is in the index from the beginning.
INSERT INTO search_progress VALUES (0);
