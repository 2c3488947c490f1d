-- Which broadcasts were sent, looked for at every poll.
CREATE INDEX audit_broadcast ON audit (channel, number) WHERE operation = 'broadcast' AND made <> '';
