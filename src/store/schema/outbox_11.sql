-- Which process claimed a row, so that the claim of one that has ended does
-- not have to lapse.
ALTER TABLE outbox ADD COLUMN claimed_by TEXT;
