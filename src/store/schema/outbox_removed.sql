-- Drops what features kept that were removed: views of the past, promises, recorded macros, and
-- weights of trouble.
DROP TRIGGER pause_begun;
DROP TRIGGER pause_changed;
DROP TRIGGER pause_ended;
DROP TRIGGER claim_begun;
DROP TRIGGER claim_ended;
DROP TRIGGER snooze_begun;
DROP TRIGGER snooze_woken;
DROP TRIGGER snooze_ended;
DROP TABLE kept_past;
DROP TABLE promise;
DROP TABLE macro;
DROP TABLE trouble_weight;
