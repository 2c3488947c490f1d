-- What conversations are ordered by when the most urgent comes first: as
-- `model/urgency.rs` ranks them, in one number, the least first.
ALTER TABLE conversation ADD COLUMN urgency INTEGER GENERATED ALWAYS AS (
    (iif(is_closed = 0 AND escalation IS NOT NULL, 0, 1) * 512
        + iif(automation <> 'off' AND trouble >= 30, 256 - min(trouble, 256), 256)) * 4503599627370496
    + iif(is_closed = 0 AND waiting_since IS NOT NULL, waiting_since, 4503599627370496 - sort_at)) VIRTUAL;
CREATE INDEX conversation_urgent ON conversation (channel, urgency, id) WHERE needs = 1;
CREATE INDEX conversation_urgent_anywhere ON conversation (urgency, id, channel) WHERE needs = 1;
CREATE INDEX conversation_waits ON conversation (channel, waiting_since) WHERE needs = 1;
