-- Accounts and sign-ins.
--
-- What belongs to an account has account_id first in its key. The look-up tables go by the key that one looks up by,
-- so that rows of an account can live together on one of many nodes, and each look-up still finds one.

create schema auth;

create table auth.account (
    account_id uuid not null,
    -- Ours, short and readable, such as TB-7K3M9Q. Unique by auth.client_id.
    client_id text not null,
    name text not null,
    -- As the trader typed it. auth.login holds the form that is compared.
    email text not null,
    phone text not null,
    password_hash text not null,
    created_at timestamptz not null default now(),
    constraint account_pkey primary key (account_id)
);

-- What one may sign in with. The kind stands in front, so that a phone is never taken for an e-mail address:
-- 'email:asha.rao@example.in', 'phone:9820041537'. One row per name: one account per address and per phone.
create table auth.login (
    login text not null,
    account_id uuid not null,
    constraint login_pkey primary key (login)
);

-- Client ids in use. They are drawn at random from a small space, so two may collide.
create table auth.client_id (
    client_id text not null,
    account_id uuid not null,
    constraint client_id_pkey primary key (client_id)
);

create table auth.sign_in (
    account_id uuid not null,
    sign_in_id uuid not null,
    user_agent text not null,
    address text not null,
    created_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    -- However often it is renewed, it ends here.
    expires_at timestamptz not null,
    ended_at timestamptz,
    -- The SHA-256 of the refresh token taken last; null until the first is. Only this one and those made for it are
    -- good: a reply that got lost is given again, and anything older was copied.
    refreshed_with bytea,
    constraint sign_in_pkey primary key (account_id, sign_in_id)
);

-- Refresh tokens, by the SHA-256 of the token. Using one makes the next; using that one retires it.
create table auth.refresh_token (
    token_hash bytea not null,
    account_id uuid not null,
    sign_in_id uuid not null,
    created_at timestamptz not null default now(),
    -- Without use it stops working here.
    expires_at timestamptz not null,
    -- The token that it was made for; null for the first of a sign-in.
    predecessor_hash bytea,
    constraint refresh_token_pkey primary key (token_hash)
);

create index refresh_token_sign_in on auth.refresh_token (account_id, sign_in_id);

-- Sign-ins that ended while access tokens of theirs may still be good. Every process asks for these.
create table auth.ended_sign_in (
    sign_in_id uuid not null,
    ended_at timestamptz not null default now(),
    constraint ended_sign_in_pkey primary key (sign_in_id)
);

create index ended_sign_in_ended_at on auth.ended_sign_in (ended_at);

-- The keys that access tokens are signed with. Shared by every core.
create table auth.signing_key (
    kid text not null,
    -- PKCS #8.
    private_key bytea not null,
    created_at timestamptz not null default now(),
    constraint signing_key_pkey primary key (kid)
);
