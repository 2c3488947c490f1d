-- Macros: what is done with one letter, a step a line.
CREATE TABLE macro (
    letter TEXT PRIMARY KEY,
    steps TEXT NOT NULL
) STRICT, WITHOUT ROWID;
