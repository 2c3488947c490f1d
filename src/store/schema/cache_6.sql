-- Lists in other orders, over all tabs, and by what they hold. What a filter
-- or an order looks at stands in one index, so that a walk reads no rows.
ALTER TABLE conversation ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
UPDATE conversation SET name_key = name_key(name, username, address, id);
CREATE TRIGGER conversation_name_new AFTER INSERT ON conversation BEGIN
    UPDATE conversation SET name_key = name_key(name, username, address, id) WHERE number = new.number;
END;
CREATE TRIGGER conversation_name_changed AFTER UPDATE OF name, username, address ON conversation
WHEN (old.name, old.username, old.address) IS NOT (new.name, new.username, new.address) BEGIN
    UPDATE conversation SET name_key = name_key(name, username, address, id) WHERE number = new.number;
END;
CREATE INDEX conversation_wide ON conversation (sort_at, id, channel, is_closed, automation,
    service_window, unread, waiting_since, last_inbound_at, escalation, stuck, address, name_key);

CREATE INDEX conversation_tagged ON conversation (channel) WHERE instr(raw, '"tags"') > 0;
CREATE INDEX message_media ON message (conversation) WHERE media_url IS NOT NULL;
CREATE INDEX message_failed ON message (conversation) WHERE delivery = 'failed' AND inbound = 0;

-- The words of a row of the list: who it is with, and the newest message.
CREATE VIRTUAL TABLE search_list USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, prefix = '2 3', tokenize = 'ascii'
);
CREATE TRIGGER conversation_list_new AFTER INSERT ON conversation BEGIN
    INSERT INTO search_list (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.preview), new.channel, 0));
END;
CREATE TRIGGER conversation_list_gone AFTER DELETE ON conversation BEGIN
    DELETE FROM search_list WHERE rowid = old.number;
END;
CREATE TRIGGER conversation_list_changed
AFTER UPDATE OF name, address, username, email, preview ON conversation
WHEN (old.name, old.address, old.username, old.email, old.preview)
    IS NOT (new.name, new.address, new.username, new.email, new.preview) BEGIN
    DELETE FROM search_list WHERE rowid = old.number;
    INSERT INTO search_list (rowid, words) VALUES (new.number, search_words(
        concat_ws(' ', new.name, new.address, new.username, new.email, new.preview), new.channel, 0));
END;
INSERT INTO search_list (rowid, words) SELECT number, search_words(
    concat_ws(' ', name, address, username, email, preview), channel, 0) FROM conversation;
