-- People who share the inbox of a workspace.
CREATE TABLE IF NOT EXISTS team_people (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    name TEXT NOT NULL,
    -- The name in lower case, by which a person is found.
    folded TEXT NOT NULL,
    -- agent, lead or viewer.
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- The last write or presence, late by at most a minute.
    seen_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS team_people_by_name ON team_people (workspace, folded) WHERE removed_at IS NULL;

-- Sign-in tokens by their SHA-256; each is used once.
CREATE TABLE IF NOT EXISTS team_tokens (
    hash BLOB PRIMARY KEY,
    person TEXT NOT NULL REFERENCES team_people,
    created_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS team_tokens_by_person ON team_tokens (person);

-- Sessions by the SHA-256 of their text. `keys.session` names the session a channel key belongs to.
CREATE TABLE IF NOT EXISTS team_sessions (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    person TEXT NOT NULL REFERENCES team_people,
    device TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS team_sessions_by_person ON team_sessions (person);

-- What the team shares about a conversation or thread.
CREATE TABLE IF NOT EXISTS team_conversations (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    -- Who has claimed it.
    person TEXT,
    claimed_at INTEGER,
    -- Grows with each claim and each release.
    version INTEGER NOT NULL,
    -- JSON list.
    tags TEXT NOT NULL,
    tagged_at INTEGER NOT NULL,
    snoozed_until INTEGER,
    snooze_note TEXT,
    snooze_set_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS team_conversations_by_change ON team_conversations (workspace, changed_at);
CREATE INDEX IF NOT EXISTS team_conversations_by_person ON team_conversations (person) WHERE person IS NOT NULL;

-- Private notes. A deleted one keeps its id, so that it cannot come back.
CREATE TABLE IF NOT EXISTS team_notes (
    conversation TEXT NOT NULL REFERENCES team_conversations ON DELETE CASCADE,
    id TEXT NOT NULL,
    person TEXT NOT NULL,
    text TEXT NOT NULL,
    -- JSON list of the ids of people.
    mentions TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    edited_at INTEGER,
    deleted_at INTEGER,
    PRIMARY KEY (conversation, id)
) STRICT;
CREATE INDEX IF NOT EXISTS team_notes_by_person ON team_notes (person, created_at);

-- Shared canned replies.
CREATE TABLE IF NOT EXISTS team_replies (
    workspace TEXT NOT NULL REFERENCES workspaces,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    person TEXT NOT NULL,
    version INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, name)
) STRICT;

-- What changed, in the order of the commits: the source of the event stream.
CREATE TABLE IF NOT EXISTS team_changes (
    workspace TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- Id of a conversation or person, or name of a reply.
    subject TEXT NOT NULL,
    -- Id of a message or note within it; otherwise empty.
    item TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace, seq)
) STRICT;

-- Who did what.
CREATE TABLE IF NOT EXISTS team_actions (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    -- Empty for `frontdesk admin`.
    person TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS team_actions_by_time ON team_actions (workspace, at);

-- Work of people, from which their statistics are counted. Ids and times only.
CREATE TABLE IF NOT EXISTS team_work (
    -- For an answer, the id of the message or mail.
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces,
    person TEXT NOT NULL,
    -- taken, answered, closed, handed back
    kind TEXT NOT NULL,
    conversation TEXT NOT NULL,
    -- How long the customer had waited for the answer, in microseconds; null if no customer waited.
    wait INTEGER,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS team_work_by_time ON team_work (workspace, at);
