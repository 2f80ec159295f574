-- Second factors of accounts: authenticator apps, passkeys and recovery codes; and devices that need none for a while.

-- Time at which the session last proved the password and, if the account has one, a second factor. Null if it never did:
-- sessions from before this migration, and logins on a trusted device.
alter table auth.session add column authenticated_at timestamptz;

-- Authenticator app (TOTP, RFC 6238) of an account.
create table auth.totp (
    account_id uuid not null,
    -- Needed to calculate the codes, so it cannot be hashed.
    secret bytea not null,
    created_at timestamptz not null default now(),
    -- Null until the first code from the app.
    confirmed_at timestamptz,
    -- Time step of the newest accepted code. Codes of this step and earlier ones are rejected.
    last_used_step bigint not null default 0,
    constraint totp_pkey primary key (account_id)
);

create index totp_unconfirmed on auth.totp (created_at) where confirmed_at is null;

create table auth.passkey (
    account_id uuid not null,
    passkey_id uuid not null,
    -- Chosen by the authenticator.
    credential_id bytea not null,
    name text not null,
    -- Public key, signature counter and transports, as JSON.
    credential text not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    constraint passkey_pkey primary key (account_id, passkey_id),
    constraint passkey_credential_id unique (account_id, credential_id)
);

-- Unused recovery codes, by their SHA-256. A code has 80 random bits.
create table auth.recovery_code (
    account_id uuid not null,
    code_hash bytea not null,
    created_at timestamptz not null default now(),
    constraint recovery_code_pkey primary key (account_id, code_hash)
);

-- Devices that log in with the password alone until the trust expires, by the SHA-256 of the device token.
create table auth.trusted_device (
    account_id uuid not null,
    trusted_device_id uuid not null,
    device_hash bytea not null,
    user_agent text not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null,
    constraint trusted_device_pkey primary key (account_id, trusted_device_id)
);

create index trusted_device_expires_at on auth.trusted_device (expires_at);

-- Checks in progress, by the SHA-256 of their token: logins that wait for the second factor, and passkey operations.
create table auth.second_factor_challenge (
    token_hash bytea not null,
    account_id uuid not null,
    purpose text not null,
    -- Challenge that a passkey must sign, as JSON.
    passkey_state text,
    -- Restores a closed account after the login.
    restore boolean not null default false,
    attempts integer not null default 0,
    expires_at timestamptz not null,
    constraint second_factor_challenge_pkey primary key (token_hash),
    constraint second_factor_challenge_purpose check (purpose in ('log-in', 'add-passkey', 'reauthenticate'))
);

create index second_factor_challenge_account on auth.second_factor_challenge (account_id);
create index second_factor_challenge_expires_at on auth.second_factor_challenge (expires_at);

alter table auth.outbox drop constraint outbox_kind;
alter table auth.outbox add constraint outbox_kind check (
    kind in (
        'confirm-email', 'reset-password', 'password-changed', 'account-closed',
        'second-factor-added', 'second-factor-removed', 'recovery-code-used'
    )
);
