-- What questions to the model of [assist] took, by day and tab; a question that
-- is under way counts with the most it can take.
CREATE TABLE model_usage (
    day INTEGER NOT NULL,
    channel TEXT NOT NULL,
    asked INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    PRIMARY KEY (day, channel)
) STRICT, WITHOUT ROWID;
