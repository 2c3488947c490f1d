-- Format 7: numbers that the platform knows as others, and under which each
-- customer has their conversation.
CREATE TABLE peer_aliases (
    channel TEXT COLLATE "C" NOT NULL REFERENCES channels,
    alias TEXT COLLATE "C" NOT NULL,
    peer TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (channel, alias)
);
CREATE INDEX peer_aliases_by_peer ON peer_aliases (channel, peer);
