-- Format 3: who has written STOP to a phone number, and gets no texts.
CREATE TABLE opt_outs (
    channel TEXT COLLATE "C" NOT NULL REFERENCES channels,
    peer TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (channel, peer)
);
