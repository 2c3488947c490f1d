-- Whether it began with a broadcast and its contact has not written: kept as
-- `broadcast_only.rs` tells, in the transaction that changes what it comes from.
ALTER TABLE conversation ADD COLUMN broadcast_only INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversation_broadcast_only ON conversation (channel, number) WHERE broadcast_only = 1;
