-- Format 5: mail leaves in lanes, too, which are threads and no conversations.
ALTER TABLE egress DROP CONSTRAINT egress_lane_fkey;
