-- Salary apart from other income: a loss of futures and options reduces dividends, interest and rent, but no salary. The
-- figures of other income until now can contain salary, so they count as salary, which no loss reduces. Tax that was paid
-- after the year is new.

-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

alter table analytics.tax_entry drop constraint tax_entry_kind;

update analytics.tax_entry set kind = 'salary' where kind = 'other-income';

alter table analytics.tax_entry add constraint tax_entry_kind check (
    kind in (
        'dividend', 'ais-short-term-sales', 'ais-long-term-sales', 'ais-dividends',
        'report-speculative', 'report-non-speculative', 'report-short-term', 'report-long-term', 'report-dividends',
        'shares-as-business', 'salary',
        'other-income', 'tax-deducted', 'advance-tax', 'tax-paid-later', 'old-regime', 'age-60', 'age-80'
    )
);
