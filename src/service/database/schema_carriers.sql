-- Channels connected to a platform, and what goes to and comes from one. Made
-- when they are not there yet: they came after the first format, and whoever
-- does not know them is not disturbed by them.
CREATE TABLE IF NOT EXISTS connected_channels (
    channel TEXT PRIMARY KEY REFERENCES channels,
    -- A JSON object: the platform's address, the account, how it is heard.
    settings TEXT NOT NULL,
    -- A JSON object of secrets, sealed.
    sealed BLOB NOT NULL,
    -- Another one each time the channel is connected.
    version TEXT NOT NULL,
    -- What is wrong with it; null while it works.
    trouble TEXT,
    -- How far the platform was read.
    mark TEXT NOT NULL,
    -- The process that reads it, and until when it does.
    reader TEXT,
    read_until INTEGER NOT NULL,
    connected_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is to be carried to a platform, a lane a conversation or a thread.
CREATE TABLE IF NOT EXISTS egress (
    -- Of the message, or of the reaction.
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    -- The conversation or the thread of mail.
    lane TEXT NOT NULL,
    -- The order within the lane.
    place INTEGER NOT NULL,
    -- JSON: the request as it was made, and what is kept once it was taken; empty
    -- when its end is known.
    parcel TEXT NOT NULL,
    draft TEXT NOT NULL,
    -- waiting, claimed, taken, refused, unknown, dropped
    state TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    -- The attempt that may settle it, and until when that lasts.
    fence INTEGER NOT NULL,
    claimed_until INTEGER NOT NULL,
    -- Whether its message is in the history already.
    told INTEGER NOT NULL,
    -- The request it came by, where somebody asked.
    api_key TEXT,
    name TEXT,
    fingerprint BLOB,
    status INTEGER,
    body BLOB,
    settled_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS egress_by_lane ON egress (lane, place);
CREATE INDEX IF NOT EXISTS egress_by_state ON egress (state, due_at);
CREATE INDEX IF NOT EXISTS egress_by_place ON egress (place);
CREATE INDEX IF NOT EXISTS egress_by_request ON egress (api_key, name);

-- What a platform told, as it came, in the order it is worked on.
CREATE TABLE IF NOT EXISTS ingress (
    channel TEXT NOT NULL,
    -- The platform's id of it.
    name TEXT NOT NULL,
    -- What is worked on one after another: a chat.
    lane TEXT NOT NULL,
    place INTEGER NOT NULL,
    body BLOB NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    done_at INTEGER,
    PRIMARY KEY (channel, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ingress_by_place ON ingress (place);
CREATE INDEX IF NOT EXISTS ingress_by_lane ON ingress (channel, lane, place) WHERE done_at IS NULL;
CREATE INDEX IF NOT EXISTS ingress_by_age ON ingress (done_at);

-- The platform's ids of messages that came in; each is there once.
CREATE TABLE IF NOT EXISTS arrivals (
    channel TEXT NOT NULL,
    peer TEXT NOT NULL,
    platform_id TEXT NOT NULL,
    PRIMARY KEY (channel, peer, platform_id)
) STRICT, WITHOUT ROWID;

-- Who has written STOP to a phone number, and gets no texts.
CREATE TABLE IF NOT EXISTS opt_outs (
    channel TEXT NOT NULL REFERENCES channels,
    peer TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, peer)
) STRICT, WITHOUT ROWID;

-- Numbers that the platform knows as others: under which each customer has their
-- conversation.
CREATE TABLE IF NOT EXISTS peer_aliases (
    channel TEXT NOT NULL REFERENCES channels,
    alias TEXT NOT NULL,
    peer TEXT NOT NULL,
    PRIMARY KEY (channel, alias)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS peer_aliases_by_peer ON peer_aliases (channel, peer);
