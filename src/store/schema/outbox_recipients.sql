-- Whom broadcasts went to, since when; '*' stands for everyone, who is noted
-- each time.
CREATE TABLE broadcast_recipient (
    channel TEXT NOT NULL,
    contact TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (channel, contact, at)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO broadcast_recipient (channel, contact, at)
    SELECT c.channel, p.contact, min(w.sent_at)
        FROM campaign c JOIN campaign_wave w ON w.campaign = c.number AND w.sent_at IS NOT NULL
        JOIN campaign_contact p ON p.campaign = c.number AND p.place >= w.place AND p.place < w.place + w.size
        GROUP BY c.channel, p.contact
    UNION SELECT c.channel, '*', w.sent_at FROM campaign c JOIN campaign_wave w ON w.campaign = c.number
        WHERE c.everyone = 1 AND w.sent_at IS NOT NULL;
