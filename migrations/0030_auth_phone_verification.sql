-- Verification of phone numbers by a code in an SMS. Only a verified number is a login, so nobody can claim the number of
-- somebody else. Accounts from before keep their number and verify it once to log in with it.

alter table auth.account add column phone_verified_at timestamptz;

delete from auth.login where login like 'phone:%';

-- Requested codes. They count towards the limits of their account and of their number for a day.
create table auth.phone_code (
    code_id uuid not null,
    account_id uuid not null,
    phone text not null,
    -- SHA-256 of the id and the code; null until the SMS is sent and after the code was used.
    code_hash bytea,
    attempts integer not null default 0,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    constraint phone_code_pkey primary key (code_id)
);

create index phone_code_account on auth.phone_code (account_id, created_at);
create index phone_code_phone on auth.phone_code (phone, created_at);
create index phone_code_created_at on auth.phone_code (created_at);

alter table auth.outbox drop constraint outbox_kind;
alter table auth.outbox add constraint outbox_kind check (
    kind in (
        'confirm-email', 'reset-password', 'password-changed', 'phone-changed', 'verify-phone', 'account-closed',
        'second-factor-added', 'second-factor-removed', 'recovery-code-used'
    )
);
