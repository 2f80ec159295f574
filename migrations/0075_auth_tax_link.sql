-- Links by which an accountant sees the tax pack of one year without an account.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

create table auth.tax_link (
    account_id uuid not null,
    link_id uuid not null,
    -- SHA-256 of the secret in the link.
    secret_hash bytea not null,
    -- Person or firm that gets the link, as the trader named them.
    recipient text not null,
    -- Year in which the financial year of the tax pack begins.
    year smallint not null,
    -- Accounts of the tax pack, such as zerodha-2; empty for all.
    broker_accounts text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    constraint tax_link_pkey primary key (account_id, link_id)
);

create index tax_link_expires_at on auth.tax_link (expires_at);

-- Uses of links: one row for each day, browser and kind of use.
create table auth.tax_link_use (
    account_id uuid not null,
    link_id uuid not null,
    -- Day in India.
    day date not null,
    action text not null,
    user_agent text not null,
    address text not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    uses integer not null default 1,
    constraint tax_link_use_pkey primary key (account_id, link_id, day, action, user_agent, address),
    constraint tax_link_use_action check (action in ('view', 'download'))
);

alter table auth.outbox drop constraint outbox_kind;
alter table auth.outbox add constraint outbox_kind check (
    kind in (
        'confirm-email', 'reset-password', 'password-changed', 'phone-changed', 'verify-phone', 'account-closed',
        'second-factor-added', 'second-factor-removed', 'recovery-code-used', 'tax-link-created'
    )
);
