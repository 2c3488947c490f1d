-- Whether anything was ever asked for in a conversation.
CREATE INDEX audit_lane ON audit (channel, lane_id);
