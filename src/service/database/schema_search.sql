-- Every third part of three characters of a contact's name and number, and of a correspondent's name and address; see
-- search_parts.rs.
CREATE TABLE search_parts (
    -- The workspace of a contact, the channel of a correspondent.
    scope TEXT NOT NULL,
    part TEXT NOT NULL,
    -- The id of the contact, the address of the correspondent.
    subject TEXT NOT NULL,
    PRIMARY KEY (scope, part, subject)
) STRICT, WITHOUT ROWID;
WITH RECURSIVE texts(scope, subject, words) AS (
        SELECT workspace, id, folded FROM contacts
        UNION ALL SELECT workspace, id, phone FROM contacts
        UNION ALL SELECT channel, address, address FROM correspondents
        UNION ALL SELECT channel, address, folded_name FROM correspondents WHERE folded_name IS NOT NULL),
    rests(scope, subject, words) AS (
        SELECT scope, subject, words FROM texts
        UNION ALL SELECT scope, subject, substr(words, 4) FROM rests WHERE length(words) >= 6)
INSERT OR IGNORE INTO search_parts
    SELECT scope, substr(words, 1, 3), subject FROM rests WHERE length(words) >= 3;
