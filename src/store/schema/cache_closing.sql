-- A conversation that this desk is about to close is in no section, like a closed one.
DROP INDEX conversation_queue;
DROP INDEX conversation_queue_anywhere;
DROP INDEX conversation_copied;
ALTER TABLE conversation DROP COLUMN queue;
ALTER TABLE conversation DROP COLUMN person_rank;
ALTER TABLE conversation DROP COLUMN awake;
-- Copy: a close of this desk is on its way.
ALTER TABLE conversation ADD COLUMN closing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN awake INTEGER GENERATED ALWAYS AS
    (is_closed = 0 AND closing = 0
        AND (snoozed_after IS NULL OR coalesce(last_inbound_at, 0) > snoozed_after)) VIRTUAL;
ALTER TABLE conversation ADD COLUMN person_rank INTEGER GENERATED ALWAYS AS (CASE
    WHEN is_handled THEN iif(stuck > 0, 2, NULL)
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
        THEN (16 + (waiting_since IS NULL OR is_handled)) * 4503599627370496
            + 4503599627370495 - min(max(sort_at, 0), 4503599627370495)
    END) VIRTUAL;
CREATE INDEX conversation_queue ON conversation (channel, queue, id) WHERE queue IS NOT NULL;
CREATE INDEX conversation_queue_anywhere ON conversation (queue, id, channel) WHERE queue IS NOT NULL;
CREATE INDEX conversation_copied ON conversation (number)
    WHERE coalesce(claimed_here_at, colleague_claimed_at, snoozed_after, paused_from, proposed_at, ai_asked_at)
        IS NOT NULL OR stuck > 0 OR closing > 0;
