-- How much a rule of trouble weighs here, in percent, where it was taught.
CREATE TABLE trouble_weight (
    rule TEXT NOT NULL PRIMARY KEY,
    percent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
