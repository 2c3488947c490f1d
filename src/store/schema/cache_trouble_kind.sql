-- Scored again: each stored reason names its kind.
UPDATE conversation SET trouble = NULL WHERE trouble > 0;
