-- Messages of ours that were not delivered, in their order: what happened
-- since somebody left is found without a walk over all.
CREATE INDEX message_failed_order ON message (sort_at) WHERE delivery = 'failed' AND inbound = 0;
