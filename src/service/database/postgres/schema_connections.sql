-- Format 16: each workspace has its own Data Connections. Those that are there belong to the first.
ALTER TABLE connections ADD COLUMN workspace TEXT COLLATE "C" REFERENCES workspaces;
UPDATE connections SET workspace = (SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1);
ALTER TABLE connections ALTER COLUMN workspace SET NOT NULL;
ALTER TABLE connections DROP CONSTRAINT connections_pkey;
ALTER TABLE connections ADD PRIMARY KEY (workspace, name);
ALTER TABLE connection_calls ADD COLUMN workspace TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE connection_calls SET workspace = coalesce((SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1), '');
