-- Format 20: parts of names, numbers and addresses, so that a search does not read all contacts.
CREATE TABLE IF NOT EXISTS search_parts (
    scope TEXT COLLATE "C" NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, part, subject)
);
INSERT INTO search_parts
    SELECT scope, substr(words, i, 3), subject FROM (
        SELECT workspace AS scope, id AS subject, folded AS words FROM contacts
        UNION ALL SELECT workspace, id, phone FROM contacts
        UNION ALL SELECT channel, address, address FROM correspondents
        UNION ALL SELECT channel, address, folded_name FROM correspondents WHERE folded_name IS NOT NULL
    ) AS texts, generate_series(1, length(words) - 2, 3) AS i
    ON CONFLICT DO NOTHING;
