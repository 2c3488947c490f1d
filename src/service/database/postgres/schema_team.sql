-- Format 14: people who share the inbox of a workspace, and what they share.
-- People who share the inbox of a workspace.
CREATE TABLE team_people (
    id TEXT COLLATE "C" PRIMARY KEY,
    workspace TEXT COLLATE "C" NOT NULL REFERENCES workspaces,
    name TEXT COLLATE "C" NOT NULL,
    -- The name in lower case, by which a person is found.
    folded TEXT COLLATE "C" NOT NULL,
    -- agent, lead or viewer.
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    -- The last write or presence, late by at most a minute.
    seen_at BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE UNIQUE INDEX team_people_by_name ON team_people (workspace, folded) WHERE removed_at IS NULL;

-- Sign-in tokens by their SHA-256; each is used once.
CREATE TABLE team_tokens (
    hash BYTEA PRIMARY KEY,
    person TEXT COLLATE "C" NOT NULL REFERENCES team_people,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX team_tokens_by_person ON team_tokens (person);

-- Sessions by the SHA-256 of their text. `keys.session` names the session a channel key belongs to.
CREATE TABLE team_sessions (
    id TEXT COLLATE "C" PRIMARY KEY,
    hash BYTEA NOT NULL UNIQUE,
    person TEXT COLLATE "C" NOT NULL REFERENCES team_people,
    device TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX team_sessions_by_person ON team_sessions (person);

-- What the team shares about a conversation or thread.
CREATE TABLE team_conversations (
    id TEXT COLLATE "C" PRIMARY KEY,
    workspace TEXT COLLATE "C" NOT NULL REFERENCES workspaces,
    -- Who has claimed it.
    person TEXT COLLATE "C",
    claimed_at BIGINT,
    -- Grows with each claim and each release.
    version BIGINT NOT NULL,
    -- JSON list.
    tags TEXT COLLATE "C" NOT NULL,
    tagged_at BIGINT NOT NULL,
    snoozed_until BIGINT,
    snooze_note TEXT COLLATE "C",
    snooze_set_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE INDEX team_conversations_by_change ON team_conversations (workspace, changed_at);
CREATE INDEX team_conversations_by_person ON team_conversations (person) WHERE person IS NOT NULL;

-- Private notes. A deleted one keeps its id, so that it cannot come back.
CREATE TABLE team_notes (
    conversation TEXT COLLATE "C" NOT NULL REFERENCES team_conversations ON DELETE CASCADE,
    id TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    -- JSON list of the ids of people.
    mentions TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    edited_at BIGINT,
    deleted_at BIGINT,
    PRIMARY KEY (conversation, id)
);
CREATE INDEX team_notes_by_person ON team_notes (person, created_at);

-- Shared canned replies.
CREATE TABLE team_replies (
    workspace TEXT COLLATE "C" NOT NULL REFERENCES workspaces,
    name TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (workspace, name)
);

-- What changed, in the order of the commits: the source of the event stream.
CREATE TABLE team_changes (
    workspace TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    -- Id of a conversation or person, or name of a reply.
    subject TEXT COLLATE "C" NOT NULL,
    -- Id of a message or note within it; otherwise empty.
    item TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, seq)
);

-- Who did what.
CREATE TABLE team_actions (
    id TEXT COLLATE "C" PRIMARY KEY,
    workspace TEXT COLLATE "C" NOT NULL,
    -- Empty for `frontdesk admin`.
    person TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX team_actions_by_time ON team_actions (workspace, at);

ALTER TABLE keys ADD COLUMN session TEXT COLLATE "C";
CREATE INDEX keys_by_session ON keys (session) WHERE session IS NOT NULL;
