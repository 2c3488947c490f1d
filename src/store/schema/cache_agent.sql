-- Person of the team who sent a message with a key of their own, by name.
ALTER TABLE message ADD COLUMN agent TEXT;
UPDATE message SET agent = raw ->> '$.agent.name'
    WHERE inbound = 0 AND raw LIKE '%"agent"%' AND json_valid(raw) AND json_type(raw, '$.agent.name') = 'text';
