-- Service tokens expire. Those from before, and those that an earlier version creates during an update, last 90 days.
alter table auth.service_token add column expires_at timestamptz not null default now() + interval '90 days';
