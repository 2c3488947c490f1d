-- Format 19: several channels of one kind in a workspace, each with templates of its own.
ALTER TABLE channels ADD COLUMN IF NOT EXISTS name TEXT COLLATE "C";
CREATE UNIQUE INDEX IF NOT EXISTS channels_by_name ON channels (workspace, name) WHERE name IS NOT NULL;
ALTER TABLE templates ADD COLUMN channel TEXT COLLATE "C" REFERENCES channels;
UPDATE templates SET channel =
    (SELECT id FROM channels WHERE channels.workspace = templates.workspace AND kind = 'whatsapp');
ALTER TABLE templates DROP CONSTRAINT templates_pkey, DROP COLUMN workspace, ADD PRIMARY KEY (channel, name, language);
