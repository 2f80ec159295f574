-- What has run out is swept away by its time, and found by it: a sweep that reads a whole table is cut off one day, and
-- from then on every time.

create index refresh_token_expires_at on auth.refresh_token (expires_at);
create index sign_in_expires_at on auth.sign_in (expires_at);
create index known_device_last_seen_at on auth.known_device (last_seen_at);
create index letter_counted_from on auth.letter (counted_from) where next_attempt_at is null;
create index access_record_at on careers.access_record (at);
