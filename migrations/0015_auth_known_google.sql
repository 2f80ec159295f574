-- Who came by Google before that stood with the account. By itself, so that the table is not locked for it.

update auth.account set has_google = true
where account_id in (select account_id from auth.google_identity) and not has_google;
