-- Drops what features kept that were removed: views of the past, the list of unnamed fields, and
-- weights of trouble. Trouble that was weighed is counted again.
DROP TRIGGER conversation_past_kept;
DROP TRIGGER message_past_kept;
DROP TABLE conversation_past;
DROP TABLE message_past;
DROP TABLE past_since;
DROP TRIGGER conversation_example_gone;
DROP TABLE lens_field;
DROP TABLE lens_word;
DROP INDEX conversation_weighed;
DROP TABLE trouble_progress;
UPDATE conversation SET trouble = NULL WHERE trouble > 0;
