-- Position in the inbox, as `model/queue.rs` defines it, in one number in ascending order.
-- Copies of facts of the outbox, refreshed after each change of the outbox and repaired at every
-- start.
ALTER TABLE conversation ADD COLUMN claimed_here_at INTEGER;
ALTER TABLE conversation ADD COLUMN snoozed_after INTEGER;
ALTER TABLE conversation ADD COLUMN paused_from INTEGER;
ALTER TABLE conversation ADD COLUMN proposed_at INTEGER;
ALTER TABLE conversation ADD COLUMN ai_asked_at INTEGER;
-- Set with the trouble score.
ALTER TABLE conversation ADD COLUMN asked_for_person INTEGER NOT NULL DEFAULT 0;
-- Facts that depend on the time: set when their time comes.
ALTER TABLE conversation ADD COLUMN window_closing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN ai_silent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN pause_expired INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN awake INTEGER GENERATED ALWAYS AS
    (is_closed = 0 AND (snoozed_after IS NULL OR coalesce(last_inbound_at, 0) > snoozed_after)) VIRTUAL;
ALTER TABLE conversation ADD COLUMN person_rank INTEGER GENERATED ALWAYS AS (CASE
    WHEN awake AND (escalation IS NOT NULL OR (asked_for_person AND automation IN ('on', 'unknown'))
        OR (window_closing AND service_window = 'open' AND waiting_since IS NOT NULL)) THEN 1
    WHEN stuck > 0 OR (awake AND ai_silent AND ai_asked_at IS NOT NULL AND waiting_since IS NOT NULL) THEN 2
    WHEN NOT awake THEN NULL
    WHEN trouble >= 30 AND automation IN ('on', 'unknown') THEN 3
    WHEN waiting_since IS NOT NULL AND automation IN ('off', 'none') THEN 4
    WHEN pause_expired AND paused_from IS NOT NULL THEN 5
    WHEN proposed_at IS NOT NULL THEN 6
    END) VIRTUAL;
ALTER TABLE conversation ADD COLUMN queue INTEGER GENERATED ALWAYS AS (CASE
    WHEN awake AND claimed_here_at IS NOT NULL
        THEN 4503599627370495 - min(max(claimed_here_at, 0), 4503599627370495)
    WHEN person_rank IS NOT NULL
        THEN (8 + person_rank) * 4503599627370496 + min(max(coalesce(waiting_since,
            CASE person_rank WHEN 5 THEN paused_from WHEN 6 THEN proposed_at END, sort_at), 0), 4503599627370495)
    WHEN awake AND broadcast_only = 0
        THEN (16 + (waiting_since IS NULL)) * 4503599627370496
            + 4503599627370495 - min(max(sort_at, 0), 4503599627370495)
    END) VIRTUAL;
CREATE INDEX conversation_queue ON conversation (channel, queue, id) WHERE queue IS NOT NULL;
CREATE INDEX conversation_queue_anywhere ON conversation (queue, id, channel) WHERE queue IS NOT NULL;
-- Rows whose time may come, and rows with copies.
CREATE INDEX conversation_window ON conversation (channel, window_closing, last_inbound_at)
    WHERE is_closed = 0 AND service_window = 'open' AND waiting_since IS NOT NULL;
CREATE INDEX conversation_ai_asked ON conversation (channel, ai_silent, ai_asked_at) WHERE ai_asked_at IS NOT NULL;
CREATE INDEX conversation_paused ON conversation (channel, pause_expired, paused_from) WHERE paused_from IS NOT NULL;
CREATE INDEX conversation_copied ON conversation (number)
    WHERE coalesce(claimed_here_at, snoozed_after, paused_from, proposed_at, ai_asked_at) IS NOT NULL OR stuck > 0;
DROP INDEX conversation_stuck;
-- Scored again, so that the wish for a person is known.
UPDATE conversation SET trouble = NULL WHERE trouble > 0;
