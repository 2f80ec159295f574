-- Steps of queued emails, corrections of a mistyped address, limits per recipient, and retention by step and consent.

-- Step that a step email is about; the application may have moved on before it is sent.
alter table careers.email add column step text;
update careers.email e set step = a.step
from careers.application a
where a.application_id = e.application_id and e.kind = 'step';

alter table careers.email drop constraint email_kind;
alter table careers.email add constraint email_kind check (
    kind in ('receipt', 'step', 'note', 'corrected', 'withdrawn', 'deleted', 'link', 'links', 'new-application')
);

-- SHA-256 of the token with which the browser that applied can correct the email address once; null afterwards.
alter table careers.application add column email_correction_sha256 bytea;
create unique index application_email_correction on careers.application (email_correction_sha256)
where email_correction_sha256 is not null;

-- Emails that strangers can cause, by recipient and day in India. The address is stored as its SHA-256.
create table careers.daily_recipient_total (
    recipient_sha256 bytea not null,
    kind text not null,
    day date not null,
    emails integer not null,
    constraint daily_recipient_total_pkey primary key (recipient_sha256, kind, day)
);
create index daily_recipient_total_day on careers.daily_recipient_total (day);

-- Applications without a consent to later roles are kept for 90 days after the decision, and 30 days after their
-- withdrawal. Stored ones stay for at least 30 more days, because their candidates were told a later date.
update careers.application
set expires_at = least(expires_at, greatest(
    now() + interval '30 days',
    case when withdrawn_at is not null then withdrawn_at + interval '30 days' else step_since + interval '90 days' end
))
where not coalesce(consent_later_roles, false) and (withdrawn_at is not null or step in ('offered', 'rejected'));
