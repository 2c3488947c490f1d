-- Precious: nothing here can be read again from anywhere.
CREATE TABLE draft (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    reply_to TEXT,
    -- A note that is not saved yet, kept apart from what may be sent.
    note TEXT NOT NULL DEFAULT '',
    -- A file or link that goes with the text.
    attachment TEXT,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE sent_here (
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (channel, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE reaction (
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    emoji TEXT NOT NULL,
    PRIMARY KEY (channel, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE pause (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    -- Whether the history was read again since the AI was paused.
    read_again INTEGER NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    since INTEGER NOT NULL DEFAULT 0,
    -- From when a pause counts that was told to go on; 0: from its beginning.
    extended_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

-- What became of every row, without its content.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Informational only, so the database's own clock will do.
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    row TEXT NOT NULL,
    channel TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    lane TEXT NOT NULL DEFAULT 'conversation',
    -- What the server made of it: the id of a message, a broadcast, a contact.
    made TEXT NOT NULL DEFAULT ''
) STRICT;
-- What became of a row is looked up by its name.
CREATE INDEX audit_row ON audit (row, number);

CREATE TABLE outbox (
    -- The order in which a lane's rows leave.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('conversation', 'thread', 'address', 'number', 'broadcasts',
        'contact', 'webhooks', 'media')),
    -- Which of its kind; empty where there is only one.
    lane_id TEXT NOT NULL,
    conversation TEXT GENERATED ALWAYS AS (iif(lane = 'conversation', lane_id, NULL)) VIRTUAL,
    operation TEXT NOT NULL CHECK (operation IN ('send', 'send-content', 'react', 'pause', 'resume', 'close',
        'mail', 'thread', 'sms', 'call', 'broadcast', 'contact', 'contact-delete', 'webhook',
        'webhook-delete', 'upload')),
    -- What the operation says beside its word, as a JSON object.
    payload TEXT NOT NULL,
    idempotency_key TEXT NOT NULL UNIQUE,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    content_type TEXT,
    body BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    first_attempt_at INTEGER,
    -- How often bytes may have left under the key.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- How often no clear answer came.
    failures INTEGER NOT NULL DEFAULT 0,
    -- Grows with every claim: who settles must name the claim it made.
    fence INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'sending', 'uncertain', 'stopped')),
    stop TEXT,
    why TEXT,
    -- The stopped row a person asked to send again as this one.
    successor_of TEXT,
    due_at INTEGER,
    first_attempt_server_at INTEGER,
    first_attempt_since_boot INTEGER,
    last_attempt_at INTEGER,
    attempted_as TEXT,
    seen_at INTEGER,
    seen_id TEXT,
    credits_before REAL,
    looks INTEGER NOT NULL DEFAULT 0,
    looked_at INTEGER,
    absent_at INTEGER,
    finding TEXT,
    -- When a person wants it to leave: a time far off, which no clock that was
    -- set explains; NULL where it leaves as soon as it may.
    planned_at INTEGER,
    -- Which process claimed it, so that the claim of one that has ended does
    -- not have to lapse.
    claimed_by TEXT
) STRICT;
CREATE INDEX outbox_lane ON outbox (channel, lane, lane_id, sequence);
CREATE INDEX outbox_conversation ON outbox (channel, conversation, sequence);

-- Where the server was seen to recognise a key that it had seen before.
CREATE TABLE recognised (
    base_url TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (base_url, path)
) STRICT, WITHOUT ROWID;

-- What a person said about a row. Keys sent for one wish: at most one more than these.
CREATE TABLE decision (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    channel TEXT NOT NULL,
    row TEXT NOT NULL,
    -- The row that stands for the wish from then on; NULL for none.
    successor TEXT,
    word TEXT NOT NULL CHECK
        (word IN ('send anyway', 'same key', 'new key', 'adopt', 'drop', 'edit')),
    -- Tells keys apart without telling them.
    key_print TEXT NOT NULL
) STRICT;
CREATE INDEX decision_row ON decision (row);

-- When a conversation was handed back to the AI from here, by the server's clock where it told.
CREATE TABLE handback (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

-- What people of this desk write for themselves: it is never sent.
CREATE TABLE note (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX note_conversation ON note (channel, conversation, created_at, number);

-- Conversations that were put aside.
CREATE TABLE snooze (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    -- When it comes back; NULL: when the customer writes.
    until INTEGER,
    -- The newest inbound message known then: a later one brings it back.
    after INTEGER NOT NULL,
    set_at INTEGER NOT NULL,
    -- When its time had come.
    woken_at INTEGER,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX snooze_due ON snooze (channel, until) WHERE woken_at IS NULL AND until IS NOT NULL;

-- Who has which conversation of a conversation.
CREATE TABLE claim (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    agent TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    word TEXT NOT NULL,
    -- Whether the server's contact has it too.
    shared INTEGER NOT NULL,
    PRIMARY KEY (channel, conversation, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_word ON tag (word);

-- Macros: what is done with one letter, a step a line.
CREATE TABLE macro (
    letter TEXT PRIMARY KEY,
    steps TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What of a thread holds only on this desk, because the server ignored it;
-- read states and places only as long as no later mail than `seen` has come.
CREATE TABLE thread_local (
    channel TEXT NOT NULL,
    thread TEXT NOT NULL,
    field TEXT NOT NULL CHECK (field IN ('read', 'star', 'place', 'category', 'priority')),
    value TEXT NOT NULL,
    seen INTEGER,
    PRIMARY KEY (channel, thread, field)
) STRICT, WITHOUT ROWID;

-- Whether a server takes a change of a field: looked at after it was written.
CREATE TABLE patch_field (
    channel TEXT NOT NULL,
    field TEXT NOT NULL,
    works INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, field)
) STRICT, WITHOUT ROWID;

-- Broadcasts in waves: which part of whom has left is nowhere else.
CREATE TABLE campaign (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    -- What it says, as a JSON object.
    content TEXT NOT NULL,
    everyone INTEGER NOT NULL,
    people INTEGER NOT NULL,
    canary INTEGER NOT NULL,
    wave INTEGER NOT NULL,
    wait INTEGER NOT NULL,
    failed_percent INTEGER NOT NULL,
    floor INTEGER,
    quality INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('running', 'paused', 'stopped', 'finished', 'taken back')),
    cause TEXT,
    why TEXT NOT NULL DEFAULT '',
    -- Waves before this one are not judged any more.
    judged_from INTEGER NOT NULL DEFAULT 0,
    quality_before TEXT
) STRICT;
CREATE INDEX campaign_phase ON campaign (phase, channel);

-- Whom, frozen when it was begun; none for everyone.
CREATE TABLE campaign_contact (
    campaign INTEGER NOT NULL,
    place INTEGER NOT NULL,
    contact TEXT NOT NULL,
    PRIMARY KEY (campaign, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign_wave (
    campaign INTEGER NOT NULL,
    number INTEGER NOT NULL,
    -- The people of it: so many from this place on.
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    -- The row of the outbox it became, written in the same transaction.
    row TEXT UNIQUE,
    -- When the server was known to have it, and under which name.
    sent_at INTEGER,
    broadcast TEXT,
    -- As counted last.
    looked_at INTEGER,
    finished_at INTEGER,
    is_unknown INTEGER NOT NULL DEFAULT 0,
    recipients INTEGER NOT NULL DEFAULT 0,
    delivered INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    pending INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (campaign, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX campaign_wave_broadcast ON campaign_wave (broadcast);

-- Broadcasts of elsewhere that are watched from here.
CREATE TABLE tracked_broadcast (
    channel TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;

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

-- The text of a draft that another window wrote over: the newest of each
-- conversation, until a text of it is sent.
CREATE TABLE draft_aside (
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (channel, conversation)
) STRICT, WITHOUT ROWID;
