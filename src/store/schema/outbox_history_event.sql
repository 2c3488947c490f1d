-- Who took a conversation over, handed it back or closed it: lines of its history.
CREATE TABLE history_event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('took over', 'handed back', 'closed')),
    -- User of this desk; NULL: another desk.
    agent TEXT,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX history_event_conversation ON history_event (channel, conversation, at, number);

INSERT INTO history_event (channel, conversation, kind, agent, at)
    SELECT channel, conversation, 'took over', owner, since FROM pause WHERE since > 0;
INSERT INTO history_event (channel, conversation, kind, agent, at)
    SELECT channel, conversation, 'handed back', '', at FROM handback;
