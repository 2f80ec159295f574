-- Renames tables and columns to standard terms, and moves the journal tables to a schema of their own.
--
-- Indexes are renamed by themselves, which also renames the constraints that they enforce, and check constraints are
-- replaced: Citus cannot rename the constraints of distributed tables.

-- Citus changes the shards of a table over several connections, except in this mode. Other statements of the transaction
-- need one connection only. Plain Postgres accepts any setting with a prefix.
set local citus.multi_shard_modify_mode = 'sequential';

alter table auth.sign_in rename to session;
alter table auth.session rename column sign_in_id to session_id;
alter table auth.session rename column refreshed_with to last_used_token_hash;
alter index auth.sign_in_pkey rename to session_pkey;
alter index auth.sign_in_expires_at rename to session_expires_at;

alter table auth.ended_sign_in rename to ended_session;
alter table auth.ended_session rename column sign_in_id to session_id;
alter index auth.ended_sign_in_pkey rename to ended_session_pkey;
alter index auth.ended_sign_in_ended_at rename to ended_session_ended_at;

alter table auth.refresh_token rename column sign_in_id to session_id;
alter index auth.refresh_token_sign_in rename to refresh_token_session;

-- Also holds the tokens that link a Google account.
alter table auth.ticket rename to email_link_token;
alter table auth.email_link_token rename column ticket_hash to token_hash;
alter table auth.email_link_token drop constraint ticket_purpose;
alter table auth.email_link_token add constraint email_link_token_purpose check (
    purpose in ('confirm-email', 'reset-password', 'link-google')
);
alter index auth.ticket_pkey rename to email_link_token_pkey;
alter index auth.ticket_account rename to email_link_token_account;
alter index auth.ticket_expires_at rename to email_link_token_expires_at;

alter table auth.letter rename to outbox;
-- Emails of one address and kind are limited per window of an hour.
alter table auth.outbox rename column counted_from to window_started_at;
alter table auth.outbox rename column requests to requests_in_window;
alter table auth.outbox drop constraint letter_kind;
alter table auth.outbox add constraint outbox_kind check (
    kind in ('confirm-email', 'reset-password', 'password-changed', 'account-closed')
);
alter index auth.letter_pkey rename to outbox_pkey;
alter index auth.letter_next_attempt_at rename to outbox_next_attempt_at;
alter index auth.letter_counted_from rename to outbox_window_started_at;

-- A network, a known device, or a session.
alter table auth.failed_login rename column network to source;
alter table auth.failed_login rename column held_until to throttled_until;

alter table careers.letter rename to email;
alter table careers.email rename column letter_id to email_id;
alter table careers.email drop constraint letter_kind;
update careers.email set kind = 'deleted' where kind = 'erased';
alter table careers.email add constraint email_kind check (
    kind in ('receipt', 'step', 'corrected', 'withdrawn', 'deleted', 'new-application')
);
alter index careers.letter_pkey rename to email_pkey;
alter index careers.letter_application rename to email_application;
alter index careers.letter_next_attempt_at rename to email_next_attempt_at;

alter table careers.answered_request rename to idempotent_request;
alter table careers.idempotent_request rename column email_key to email_lower;
alter table careers.idempotent_request rename column answered_at to received_at;
alter index careers.answered_request_pkey rename to idempotent_request_pkey;
alter index careers.answered_request_application rename to idempotent_request_application;
alter index careers.answered_request_answered_at rename to idempotent_request_received_at;

alter table careers.day rename to daily_upload_total;
alter index careers.day_pkey rename to daily_upload_total_pkey;

alter table careers.access_record rename to access_log;
alter table careers.access_log rename column who to caller;
alter table careers.access_log rename column what to action;
alter table careers.access_log rename column at to accessed_at;
alter index careers.access_record_pkey rename to access_log_pkey;
alter index careers.access_record_at rename to access_log_accessed_at;

alter table careers.application rename column email_key to email_lower;
alter table careers.application rename column kept_until to expires_at;
alter index careers.application_kept_until rename to application_expires_at;

alter table trades.answered_request rename to idempotent_request;
alter table trades.idempotent_request rename column answered_at to recorded_at;
alter index trades.answered_request_pkey rename to idempotent_request_pkey;
alter index trades.answered_request_answered_at rename to idempotent_request_recorded_at;

-- Copies of edited and removed trades, for the undo of a change.
alter table trades.kept_trade rename to undo_copy;
alter index trades.kept_trade_pkey rename to undo_copy_pkey;

alter table trades.deleted_source rename to deleted_source_key;
alter index trades.deleted_source_pkey rename to deleted_source_key_pkey;

alter table trades.change rename column kept to has_undo_copies;
alter table trades.change rename column touched to changed_trade_ids;
alter table trades.change rename column removed_count to removed_or_replaced_count;
alter index trades.change_kept rename to change_has_undo_copies;

alter table trades.import rename column problems to errors;

alter table trades.preview rename column shown to saved_response;
alter table trades.preview rename column shown_version to saved_response_version;
alter table trades.preview rename column findings to encoded_issues;
alter table trades.preview rename column problems to errors;
alter table trades.preview rename column reading_ms to parse_ms;

create schema journal;

alter table trades.journal set schema journal;
alter table trades.account_journal set schema journal;

alter table trades.journal_entry set schema journal;
alter table journal.journal_entry rename to entry;
alter table journal.entry drop constraint journal_entry_kind;
alter table journal.entry add constraint entry_kind check (kind in ('intraday', 'equity'));
alter index journal.journal_entry_pkey rename to entry_pkey;
alter index journal.journal_entry_idempotency_key rename to entry_idempotency_key;
alter index journal.journal_entry_list rename to entry_list;

-- Counts and sums of the entries of one kind.
alter table trades.journal_tally set schema journal;
alter table journal.journal_tally rename to total;
alter index journal.journal_tally_pkey rename to total_pkey;
