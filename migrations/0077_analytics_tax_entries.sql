-- Figures of a tax year that the trader enters because the log does not have them.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

create table analytics.tax_entry (
    account_id uuid not null,
    -- Year in which the financial year begins.
    year smallint not null,
    -- Position in the list of the year.
    position smallint not null,
    kind text not null,
    -- Account that it is about, such as zerodha-2, or any account of the person.
    broker_account text not null,
    -- Day of a payment.
    day date,
    -- Payer of a dividend.
    name text,
    -- None for a choice.
    amount numeric,
    tax_deducted numeric,
    constraint tax_entry_pkey primary key (account_id, year, position),
    constraint tax_entry_kind check (
        kind in (
            'dividend', 'ais-short-term-sales', 'ais-long-term-sales', 'ais-dividends',
            'report-speculative', 'report-non-speculative', 'report-short-term', 'report-long-term', 'report-dividends',
            'shares-as-business',
            'other-income', 'tax-deducted', 'advance-tax', 'old-regime', 'age-60', 'age-80'
        )
    )
);
