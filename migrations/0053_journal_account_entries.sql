-- The journal of an account: entries about positions, strategies and days, playbooks, templates, and undoable changes.
-- The tables of the public pages (journal.journal, journal.entry, journal.total) belong to visitors.

-- Counters of an account. Numbers are given within the account, and no sequence is shared. A writer that adds a row or
-- edits several entries locks this row first.
create table journal.account (
    account_id uuid not null,
    next_id bigint not null default 1,
    entry_count bigint not null default 0,
    constraint account_pkey primary key (account_id)
);

create table journal.account_entry (
    account_id uuid not null,
    entry_id bigint not null,
    kind text not null,
    -- Key of the position or strategy in the analytics; the first date of a day, week or month.
    key text not null,
    -- Facts that describe the entry when nothing has its key any longer.
    symbol text not null default '',
    day date not null,
    side text,
    quantity numeric(20, 6),
    setup text not null default '',
    tags text[] not null default '{}',
    mistakes text[] not null default '{}',
    emotion text not null default '',
    emotion_after text not null default '',
    rating smallint,
    -- Markdown; the review of a day.
    note text not null default '',
    -- Markdown.
    plan text not null default '',
    planned_entry numeric(15, 4),
    planned_stop numeric(15, 4),
    planned_target numeric(15, 4),
    planned_risk numeric(15, 4),
    -- Ids of rules in journal.playbook.
    rules_kept bigint[] not null default '{}',
    rules_broken bigint[] not null default '{}',
    reviewed_at timestamptz,
    version bigint not null default 1,
    updated_at timestamptz not null,
    -- Search terms, which begin with a prefix of the account, so that one index serves all accounts.
    search tsvector not null,
    constraint account_entry_pkey primary key (account_id, entry_id),
    constraint account_entry_key unique (account_id, kind, key),
    constraint account_entry_kind check (kind in ('position', 'strategy', 'day', 'week', 'month')),
    constraint account_entry_side check (side in ('long', 'short')),
    constraint account_entry_rating check (rating between 1 and 5)
);

create index account_entry_search on journal.account_entry using gin (search);
create index account_entry_day on journal.account_entry (account_id, day, entry_id);

-- Setups with a checklist.
create table journal.playbook (
    account_id uuid not null,
    playbook_id bigint not null,
    name text not null,
    -- The name in lower case.
    name_key text not null,
    description text not null default '',
    -- [{"id": 7, "text": "Stop placed at once"}, …]. Ids are never used again.
    rules jsonb not null,
    version bigint not null default 1,
    created_at timestamptz not null,
    constraint playbook_pkey primary key (account_id, playbook_id),
    constraint playbook_name unique (account_id, name_key)
);

create table journal.template (
    account_id uuid not null,
    template_id bigint not null,
    name text not null,
    name_key text not null,
    plan text not null default '',
    note text not null default '',
    version bigint not null default 1,
    constraint template_pkey primary key (account_id, template_id),
    constraint template_name unique (account_id, name_key)
);

-- Bulk edits. Each can be undone until 30 days later, or until 100 newer ones.
create table journal.change (
    account_id uuid not null,
    change_id bigint not null,
    made_at timestamptz not null,
    entry_count integer not null,
    -- The edit, and the values of each entry before and after it.
    edit jsonb not null,
    items jsonb not null,
    undone_at timestamptz,
    constraint change_pkey primary key (account_id, change_id)
);

create index change_made_at on journal.change (made_at);
