-- What to remember when a conversation comes back.
ALTER TABLE snooze ADD COLUMN note TEXT;
