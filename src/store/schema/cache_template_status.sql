-- Templates that are not approved have a status, in the platform's word, and may have a reason.
ALTER TABLE template ADD COLUMN status TEXT;
ALTER TABLE template ADD COLUMN reason TEXT;
