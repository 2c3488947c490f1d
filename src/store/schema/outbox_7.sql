-- A file or link that goes with a draft's text.
ALTER TABLE draft ADD COLUMN attachment TEXT;

-- When a person wants it to leave: a time far off, which no clock that was
-- set explains; NULL where it leaves as soon as it may.
ALTER TABLE outbox ADD COLUMN planned_at INTEGER;
