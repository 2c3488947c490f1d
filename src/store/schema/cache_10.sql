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

CREATE TRIGGER conversation_thread_gone AFTER DELETE ON conversation BEGIN
    DELETE FROM thread WHERE channel = old.channel AND id = old.id;
    DELETE FROM letter WHERE channel = old.channel AND thread = old.id;
END;
CREATE TRIGGER thread_updated AFTER UPDATE ON thread BEGIN
    INSERT INTO revision (channel, number) VALUES (new.channel, 1)
        ON CONFLICT DO UPDATE SET number = number + 1;
END;
