-- Taking care of an account: confirming the address, other ways to sign in, back-off, closing it.

-- An account that Google made has neither a phone number nor a password until its owner sets them.
alter table auth.account
    alter column phone drop not null,
    alter column password_hash drop not null,
    add column email_confirmed_at timestamptz,
    -- Which privacy notice the trader saw at registration, and when; null when the client showed none.
    add column notice_version text,
    add column noticed_at timestamptz,
    -- Out of use since then, erased 30 days later.
    add column closed_at timestamptz;

create index account_closed_at on auth.account (closed_at) where closed_at is not null;

-- Google accounts, by what Google promises never to give to another.
create table auth.google_identity (
    issuer text not null,
    subject text not null,
    account_id uuid not null,
    linked_at timestamptz not null default now(),
    constraint google_identity_pkey primary key (issuer, subject)
);

create index google_identity_account on auth.google_identity (account_id);

-- What is good once, by the SHA-256 of the secret. Using it deletes the row, but for the confirmation of an address,
-- which says the same however often it is asked for.
create table auth.ticket (
    ticket_hash bytea not null,
    purpose text not null,
    account_id uuid not null,
    -- The address that is confirmed; the issuer and subject that are linked.
    email text,
    google_issuer text,
    google_subject text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    constraint ticket_pkey primary key (ticket_hash),
    constraint ticket_purpose check (purpose in ('confirm-email', 'reset-password', 'link-google'))
);

create index ticket_account on auth.ticket (account_id);
create index ticket_expires_at on auth.ticket (expires_at);

-- Tokens that are good once and were used: sign-in tokens and hand-offs, by their jti, until they would have expired.
create table auth.used_token (
    token_id uuid not null,
    expires_at timestamptz not null,
    constraint used_token_pkey primary key (token_id)
);

create index used_token_expires_at on auth.used_token (expires_at);

-- Letters that were asked for, one row for each address and kind. A row names whom and what about; the secret in a link
-- is drawn when the letter is written, so that none ever lies here. An address without an account stands here just the
-- same: asking for a letter takes as long and leaves as much, and the writer of letters throws it away.
create table auth.letter (
    -- As in auth.login.
    login text not null,
    kind text not null,
    requested_at timestamptz not null default now(),
    -- How often it was asked for since then: only so many are sent an hour.
    counted_from timestamptz not null default now(),
    requests integer not null default 1,
    attempts integer not null default 0,
    -- Null once it was sent, thrown away or given up.
    next_attempt_at timestamptz default now(),
    constraint letter_pkey primary key (login, kind),
    constraint letter_kind check (kind in ('confirm-email', 'reset-password', 'password-changed', 'account-closed'))
);

create index letter_next_attempt_at on auth.letter (next_attempt_at) where next_attempt_at is not null;

-- Failures to sign in, by the name that was typed (as in auth.login, whether or not there is such an account) and the
-- network that it came from: an IPv4 /24 or an IPv6 /64. A device that signed in to the account before stands for
-- itself instead.
create table auth.failed_login (
    login text not null,
    network text not null,
    failures integer not null,
    last_failed_at timestamptz not null default now(),
    held_until timestamptz,
    constraint failed_login_pkey primary key (login, network)
);

create index failed_login_last_failed_at on auth.failed_login (last_failed_at);

-- Devices that signed in to an account before, by the SHA-256 of what they were given.
create table auth.known_device (
    account_id uuid not null,
    device_hash bytea not null,
    last_seen_at timestamptz not null default now(),
    constraint known_device_pkey primary key (account_id, device_hash)
);

-- Credentials of internal services. There are few, and they belong to no account.
create table auth.service_token (
    name text not null,
    token_hash bytea not null,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    constraint service_token_pkey primary key (name)
);
