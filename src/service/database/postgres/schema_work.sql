-- Format 18: what people did, from which their statistics are counted. Ids and times only.
CREATE TABLE team_work (
    -- For an answer, the id of the message or mail.
    id TEXT COLLATE "C" PRIMARY KEY,
    workspace TEXT COLLATE "C" NOT NULL REFERENCES workspaces,
    person TEXT COLLATE "C" NOT NULL,
    -- taken, answered, closed, handed back
    kind TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    -- How long the customer had waited for the answer, in microseconds; null if no customer waited.
    wait BIGINT,
    at BIGINT NOT NULL
);
CREATE INDEX team_work_by_time ON team_work (workspace, at);
