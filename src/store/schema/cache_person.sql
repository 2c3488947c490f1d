-- Whose a mail address or a number is: one person on several channels.
CREATE INDEX conversation_email ON conversation (email COLLATE NOCASE, sort_at) WHERE email IS NOT NULL;
CREATE INDEX contact_email ON contact (email COLLATE NOCASE) WHERE email IS NOT NULL;
CREATE INDEX contact_phone ON contact (phone);
CREATE INDEX correspondent_folded ON correspondent (folded);
CREATE INDEX correspondent_phone ON correspondent (phone) WHERE phone IS NOT NULL;
