-- Format 10: each filter of a list has an index in the order of the list; the
-- columns behind the order let further filters be compared without reading the row.
DROP INDEX threads_by_folder;
CREATE INDEX threads_in_folder ON threads (channel, folder, last_at DESC, id DESC, is_read, category);
CREATE INDEX threads_in_category ON threads (channel, category, last_at DESC, id DESC, is_read, folder);
CREATE INDEX threads_by_reading ON threads (channel, is_read, last_at DESC, id DESC, folder, category);
CREATE INDEX messages_by_status ON messages (channel, status, created_at DESC, id DESC, direction);
-- What is looked for when a person is erased.
ALTER TABLE events ADD COLUMN subject TEXT COLLATE "C";
CREATE INDEX events_by_subject ON events (subject) WHERE subject IS NOT NULL;
CREATE INDEX messages_by_media ON messages USING hash (media_url) WHERE media_url IS NOT NULL;
CREATE INDEX recipients_by_contact ON recipients (contact);
UPDATE ingress SET lane = '' WHERE done_at IS NOT NULL;
