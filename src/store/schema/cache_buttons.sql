-- Whether a message on bot-chat can have buttons.
ALTER TABLE account ADD COLUMN takes_buttons INTEGER NOT NULL DEFAULT 0;
