CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    name TEXT,
    email TEXT,
    balance INTEGER NOT NULL CHECK (balance >= 0),
    created_at INTEGER NOT NULL
) STRICT;

-- Every change of a balance, once: its amounts add up to the balance.
CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    amount INTEGER NOT NULL,
    reason TEXT NOT NULL,
    reference TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (reason, reference)
) STRICT;

CREATE TABLE channels (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    kind TEXT NOT NULL,
    assistant TEXT NOT NULL,
    assistant_name TEXT,
    -- The number, bot name or mail address; null until one is connected.
    address TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    channel TEXT NOT NULL REFERENCES channels,
    environment TEXT NOT NULL,
    tail TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE TABLE idempotency (
    api_key TEXT NOT NULL,
    name TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    status INTEGER NOT NULL,
    body BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (api_key, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at);

CREATE TABLE templates (
    channel TEXT NOT NULL REFERENCES channels,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    category TEXT NOT NULL,
    status TEXT NOT NULL,
    components TEXT NOT NULL,
    PRIMARY KEY (channel, name, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels,
    -- A phone number, a person's or group's id, or a chat id.
    peer TEXT NOT NULL,
    name TEXT,
    username TEXT,
    email TEXT,
    avatar TEXT,
    status TEXT NOT NULL DEFAULT 'active',
    automation INTEGER NOT NULL DEFAULT 1,
    escalation TEXT,
    escalated_at INTEGER,
    message_count INTEGER NOT NULL DEFAULT 0,
    preview TEXT NOT NULL DEFAULT '',
    last_at INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_inbound_at INTEGER,
    referral TEXT,
    -- The address that the platform last gave, where that is another form.
    platform_peer TEXT,
    -- A JSON object: when a message was last changed, and how old it was.
    last_change TEXT,
    UNIQUE (channel, peer)
) STRICT;
CREATE INDEX conversations_by_activity ON conversations (channel, last_at DESC, id DESC);
CREATE INDEX conversations_by_status ON conversations (channel, status, last_at DESC, id DESC);

CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
    channel TEXT NOT NULL,
    platform_id TEXT NOT NULL,
    direction TEXT NOT NULL,
    sender TEXT NOT NULL,
    content TEXT NOT NULL,
    kind TEXT NOT NULL,
    media_url TEXT,
    -- Mime type, size and file name of media; what a template or a location held.
    details TEXT,
    status TEXT NOT NULL,
    reply_to TEXT,
    reaction TEXT,
    cost INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    delivered_at INTEGER,
    read_at INTEGER,
    broadcast TEXT,
    -- When it was sent, as the platform says it, where that is before it came.
    sent_at INTEGER,
    -- A JSON object: its structure, and how its author has changed it.
    extras TEXT
) STRICT;
CREATE INDEX messages_by_conversation ON messages (conversation, created_at DESC, id DESC);
CREATE INDEX messages_by_history ON messages (conversation, coalesce(sent_at, created_at) DESC, id DESC);
CREATE INDEX messages_by_channel ON messages (channel, created_at DESC, id DESC);
CREATE INDEX messages_by_direction ON messages (channel, direction, created_at DESC, id DESC);
CREATE INDEX messages_by_platform ON messages (channel, platform_id);

-- Calls placed from here; each is shown as the message with its id.
CREATE TABLE calls (
    id TEXT PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
    channel TEXT NOT NULL REFERENCES channels,
    conversation TEXT NOT NULL,
    -- A JSON object the caller gave to the assistant.
    metadata TEXT NOT NULL,
    status TEXT NOT NULL,
    cost INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    answered_at INTEGER,
    ended_at INTEGER
) STRICT, WITHOUT ROWID;

-- What the shop's other systems told of: orders, appointments, campaigns.
CREATE TABLE happenings (
    workspace TEXT NOT NULL REFERENCES workspaces,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    -- A JSON object.
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace, name, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX happenings_by_time ON happenings (workspace, name, at DESC, id DESC);

CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels,
    subject TEXT NOT NULL,
    -- The subject without reply marks, and the address, both in lower case:
    -- what a mail without a reference is threaded by.
    topic TEXT NOT NULL,
    contact TEXT NOT NULL,
    contact_email TEXT NOT NULL,
    contact_name TEXT,
    folder TEXT NOT NULL,
    category TEXT,
    priority TEXT NOT NULL,
    is_read INTEGER NOT NULL,
    is_starred INTEGER NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0,
    last_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX threads_by_activity ON threads (channel, last_at DESC, id DESC);
CREATE INDEX threads_by_topic ON threads (channel, contact, topic, last_at DESC);

CREATE TABLE emails (
    id TEXT PRIMARY KEY,
    thread TEXT NOT NULL REFERENCES threads ON DELETE CASCADE,
    channel TEXT NOT NULL,
    -- The Message-ID header.
    header_id TEXT NOT NULL,
    direction TEXT NOT NULL,
    sender TEXT NOT NULL,
    sender_name TEXT,
    -- JSON arrays of addresses.
    recipients TEXT NOT NULL,
    copies TEXT NOT NULL,
    blind_copies TEXT NOT NULL,
    subject TEXT NOT NULL,
    body_text TEXT,
    body_html TEXT,
    -- A JSON array: name, media type and size of each; the bytes, where kept, are media.
    attachments TEXT NOT NULL,
    -- A JSON object: Reply-To and what else the sender set.
    headers TEXT NOT NULL,
    in_reply_to TEXT,
    status TEXT NOT NULL,
    cost INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    opened_at INTEGER
) STRICT;
CREATE INDEX emails_by_thread ON emails (thread, created_at DESC, id DESC);
CREATE INDEX emails_by_direction ON emails (channel, direction, created_at DESC, id DESC);
CREATE INDEX emails_by_header ON emails (channel, header_id);

-- Everybody mails were exchanged with, once each, over all threads.
CREATE TABLE correspondents (
    channel TEXT NOT NULL REFERENCES channels,
    -- The address in lower case.
    address TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT,
    -- The name in lower case.
    folded_name TEXT,
    message_count INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (channel, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX correspondents_by_activity ON correspondents (channel, last_at DESC, address DESC);

-- The demo's letter writers: what each still has to say, as JSON arrays.
CREATE TABLE letter_writers (
    thread TEXT PRIMARY KEY REFERENCES threads ON DELETE CASCADE,
    live TEXT NOT NULL,
    replies TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- All that reached a platform, oldest first.
CREATE TABLE outbound (
    seq INTEGER PRIMARY KEY,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    content TEXT NOT NULL,
    idempotency_key TEXT,
    at INTEGER NOT NULL
) STRICT;

-- What the simulated world has yet to do, by the service's clock.
CREATE TABLE due (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX due_by_time ON due (at, seq);
CREATE INDEX due_by_subject ON due (kind, subject);

-- The demo's customers: what each still has to say, as JSON arrays.
CREATE TABLE characters (
    conversation TEXT PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
    language TEXT NOT NULL,
    live TEXT NOT NULL,
    replies TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE media (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    filename TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Who wants to hear of what happens on a channel.
CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels,
    url TEXT NOT NULL,
    -- A JSON array of event names.
    events TEXT NOT NULL,
    -- Sealed with the key beside the database; null when there is none.
    secret BLOB,
    active INTEGER NOT NULL DEFAULT 1,
    -- Since when no delivery has succeeded; null while they do.
    failing_since INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_channel ON webhooks (channel, created_at, id);

-- What happened, as the exact bytes every delivery sends and signs.
CREATE TABLE events (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    at INTEGER NOT NULL,
    -- The conversation or the thread of mail that it tells of.
    subject TEXT
) STRICT;
CREATE INDEX events_by_age ON events (at);
CREATE INDEX events_by_subject ON events (subject) WHERE subject IS NOT NULL;

-- One event on its way to one subscription. It stays due until an attempt is
-- over, so that an attempt nobody saw the end of is made again.
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    event TEXT NOT NULL REFERENCES events ON DELETE CASCADE,
    webhook TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When the next attempt is; null when there is none.
    due_at INTEGER,
    delivered_at INTEGER
) STRICT;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_time ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_event ON deliveries (event);

-- People with a phone number, whether or not they ever wrote.
CREATE TABLE contacts (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    phone TEXT NOT NULL,
    name TEXT,
    -- Whether the business gave the name.
    named INTEGER NOT NULL DEFAULT 0,
    email TEXT,
    -- A JSON array and a JSON object.
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- The name as it is searched in.
    folded TEXT NOT NULL,
    UNIQUE (workspace, phone)
) STRICT;
CREATE INDEX contacts_by_age ON contacts (workspace, created_at DESC, id DESC);
CREATE INDEX contacts_by_activity ON contacts (workspace, last_at DESC, id DESC);

CREATE TABLE broadcasts (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels,
    kind TEXT NOT NULL,
    -- The text, the caption or the filled template.
    content TEXT NOT NULL,
    media_url TEXT,
    details TEXT,
    -- Credits for each recipient.
    price INTEGER NOT NULL,
    total INTEGER NOT NULL,
    status TEXT NOT NULL,
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    completed_at INTEGER
) STRICT;
CREATE INDEX broadcasts_by_completion ON broadcasts (channel, completed_at DESC, id DESC);

-- What became of each recipient. A contact may be gone, its outcome stays.
CREATE TABLE recipients (
    broadcast TEXT NOT NULL REFERENCES broadcasts ON DELETE CASCADE,
    position INTEGER NOT NULL,
    contact TEXT NOT NULL,
    phone TEXT NOT NULL,
    -- waiting, queued, unknown, sent, delivered, read, failed
    status TEXT NOT NULL DEFAULT 'waiting',
    message TEXT,
    -- Why it failed, if it was refused.
    code TEXT,
    PRIMARY KEY (broadcast, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX recipients_by_status ON recipients (broadcast, status, position);
CREATE INDEX recipients_by_message ON recipients (broadcast, message);
