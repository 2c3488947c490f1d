-- Format 6: what is written to one workspace does not wait for the others. Each
-- has its own number of commits and newest time; the row of commit_order is for
-- what concerns them all.
-- First behind what processes of an older version are about: they hold this row
-- while they wait for tables.
UPDATE commit_order SET revision = revision + 1;
ALTER TABLE workspaces ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces SET (fillfactor = 50);

-- Whoever relies on the fence keeps it from changing, and nothing else.
CREATE UNIQUE INDEX leases_by_fence ON leases (name, fence);
