-- Whether a receipt was queued for a request, which its retries are told. The limit of emails per mailbox can prevent it.
alter table careers.idempotent_request add column receipt_queued boolean not null default true;
