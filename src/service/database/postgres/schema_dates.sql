-- Format 10: when a mail was sent, as it says itself.
ALTER TABLE emails ADD COLUMN sent_at BIGINT;
