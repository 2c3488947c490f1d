-- Search over every text. The index holds words, not texts: its rows are
-- numbered by the message's place, which grows with its time, so that reading
-- it backwards gives the newest first. `search_words` cuts words; the desk
-- brings it.
ALTER TABLE message ADD COLUMN place INTEGER;
CREATE UNIQUE INDEX message_place ON message (place) WHERE place IS NOT NULL;

CREATE VIRTUAL TABLE search USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, prefix = '2 3 4', tokenize = 'ascii'
);
CREATE VIRTUAL TABLE search_people USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, prefix = '2 3', tokenize = 'ascii'
);

-- Messages that were here before the index are added to it in slices: those
-- with a smaller rowid than this are still to come.
CREATE TABLE search_progress (below INTEGER NOT NULL) STRICT;
INSERT INTO search_progress SELECT coalesce(max(rowid) + 1, 0) FROM message;

-- A place is the message's time in microseconds; where that is taken, the
-- next after those of the same second. The odd length of that second keeps
-- its end off the times servers give.
CREATE TRIGGER message_search AFTER UPDATE OF content, sort_at, place ON message
WHEN new.place IS NULL OR old.content IS NOT new.content OR old.sort_at IS NOT new.sort_at BEGIN
    DELETE FROM search WHERE rowid = old.place;
    UPDATE OR IGNORE message SET place = iif(
        EXISTS (SELECT 1 FROM message WHERE place = new.sort_at AND rowid <> new.rowid),
        (SELECT max(place) + 1 FROM message WHERE place BETWEEN new.sort_at AND new.sort_at + 999982),
        new.sort_at) WHERE rowid = new.rowid;
    INSERT INTO search (rowid, words)
        SELECT m.place, search_words(m.content, c.channel, c.number)
        FROM message m JOIN conversation c ON c.number = m.conversation
        WHERE m.rowid = new.rowid AND m.place IS NOT NULL;
END;
CREATE TRIGGER message_search_new AFTER INSERT ON message BEGIN
    UPDATE message SET place = NULL WHERE rowid = new.rowid;
END;
CREATE TRIGGER message_search_gone AFTER DELETE ON message WHEN old.place IS NOT NULL BEGIN
    DELETE FROM search WHERE rowid = old.place;
END;

CREATE TRIGGER conversation_search_new AFTER INSERT ON conversation BEGIN
    INSERT INTO search_people (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.referral_headline), new.channel, new.number));
END;
CREATE TRIGGER conversation_search_gone AFTER DELETE ON conversation BEGIN
    DELETE FROM search_people WHERE rowid = old.number;
END;
CREATE TRIGGER conversation_search_changed
AFTER UPDATE OF name, address, username, email, referral_headline ON conversation
WHEN (old.name, old.address, old.username, old.email, old.referral_headline)
    IS NOT (new.name, new.address, new.username, new.email, new.referral_headline) BEGIN
    DELETE FROM search_people WHERE rowid = old.number;
    INSERT INTO search_people (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.referral_headline), new.channel, new.number));
END;
INSERT INTO search_people (rowid, words) SELECT number, search_words(
    concat_ws(' ', name, address, username, email, referral_headline), channel, number) FROM conversation;
