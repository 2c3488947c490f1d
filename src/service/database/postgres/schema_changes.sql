-- Format 10: the structure of messages, and how their authors have changed them.
ALTER TABLE messages ADD COLUMN extras TEXT COLLATE "C";
ALTER TABLE conversations ADD COLUMN last_change TEXT COLLATE "C";
