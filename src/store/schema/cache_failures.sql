-- Whom a broadcast did not reach, as far as the server names them: a JSON list
-- of contact, number, code and words.
ALTER TABLE broadcast ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';
