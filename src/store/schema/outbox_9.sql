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
