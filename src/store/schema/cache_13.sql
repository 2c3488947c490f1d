-- A lease is for one kind of work: asking (its name) or sending. Who holds it
-- says what it is, so that what waits can name it; a process of a higher rank
-- takes it over at once.
ALTER TABLE lease ADD COLUMN channel TEXT NOT NULL DEFAULT '';
ALTER TABLE lease ADD COLUMN sends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lease ADD COLUMN kind TEXT NOT NULL DEFAULT 'inbox';
ALTER TABLE lease ADD COLUMN rank INTEGER NOT NULL DEFAULT 2;
