-- Fields of what the server sent that the interface does not name: how often
-- each came as what, with a value of one conversation.
CREATE TABLE lens_field (
    shape TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    example TEXT NOT NULL,
    example_of INTEGER,
    first_at INTEGER NOT NULL,
    PRIMARY KEY (shape, path, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX lens_field_example ON lens_field (example_of) WHERE example_of IS NOT NULL;

-- Words of its lists that this version does not know.
CREATE TABLE lens_word (
    shape TEXT NOT NULL,
    field TEXT NOT NULL,
    word TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (shape, field, word)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER conversation_example_gone AFTER DELETE ON conversation BEGIN
    UPDATE lens_field SET example = '', example_of = NULL WHERE example_of = old.number;
END;
