-- Those whose AI is in trouble, the worst first, found without a walk over all.
CREATE INDEX conversation_in_trouble ON conversation (channel, trouble DESC, id)
    WHERE trouble >= 30 AND is_closed = 0 AND automation <> 'off';
