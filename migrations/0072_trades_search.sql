-- Trades with a text, which few have: a search of their words reads no others.

create index trade_text on trades.trade (account_id, executed_at, trade_id)
    where num_nonnulls(notes, psychology, market_outlook, stock_name) > 0;
