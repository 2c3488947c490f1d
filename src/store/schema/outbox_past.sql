-- What this desk kept of conversations before it changed, until when; NULL
-- for nothing. Its own rows hold only what is so now.
CREATE TABLE kept_past (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    conversation TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('pause', 'snooze', 'claim')),
    until INTEGER NOT NULL,
    held TEXT
) STRICT;
CREATE INDEX kept_past_order ON kept_past (channel, conversation, what, until, number);
CREATE INDEX kept_past_until ON kept_past (until);

CREATE TRIGGER pause_begun AFTER INSERT ON pause BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held)
        VALUES (new.channel, new.conversation, 'pause', desk_now(), NULL);
END;
CREATE TRIGGER pause_changed AFTER UPDATE OF owner, since ON pause
WHEN (old.owner, old.since) IS NOT (new.owner, new.since) BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held) VALUES (old.channel, old.conversation,
        'pause', desk_now(), json_object('owner', old.owner, 'since', old.since));
END;
CREATE TRIGGER pause_ended AFTER DELETE ON pause BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held) VALUES (old.channel, old.conversation,
        'pause', desk_now(), json_object('owner', old.owner, 'since', old.since));
END;
CREATE TRIGGER claim_begun AFTER INSERT ON claim BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held)
        VALUES (new.channel, new.conversation, 'claim', desk_now(), NULL);
END;
CREATE TRIGGER claim_ended AFTER DELETE ON claim BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held) VALUES (old.channel, old.conversation,
        'claim', desk_now(), json_object('agent', old.agent, 'at', old.at));
END;
CREATE TRIGGER snooze_begun AFTER INSERT ON snooze BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held)
        VALUES (new.channel, new.conversation, 'snooze', desk_now(), NULL);
END;
CREATE TRIGGER snooze_woken AFTER UPDATE OF woken_at ON snooze
WHEN old.woken_at IS NOT new.woken_at BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held) VALUES (old.channel, old.conversation,
        'snooze', desk_now(), json_object('until', old.until, 'after', old.after, 'set_at', old.set_at,
        'woken_at', old.woken_at));
END;
CREATE TRIGGER snooze_ended AFTER DELETE ON snooze BEGIN
    INSERT INTO kept_past (channel, conversation, what, until, held) VALUES (old.channel, old.conversation,
        'snooze', desk_now(), json_object('until', old.until, 'after', old.after, 'set_at', old.set_at,
        'woken_at', old.woken_at));
END;
-- The newest changes of each are enough.
CREATE TRIGGER kept_past_bounded AFTER INSERT ON kept_past BEGIN
    DELETE FROM kept_past WHERE channel = new.channel AND conversation = new.conversation
        AND what = new.what AND number <= (
            SELECT number FROM kept_past WHERE channel = new.channel AND conversation = new.conversation
                AND what = new.what ORDER BY until DESC, number DESC LIMIT 1 OFFSET 200);
END;
