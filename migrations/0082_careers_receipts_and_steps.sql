-- False if no receipt was queued, because the mailbox reached its limit of the day. Retries of the request are told the same.
alter table careers.idempotent_request add column receipt_queued boolean not null default true;

-- Steps to which the company moved an application, with the notes to the candidate. Deleted with the application.
create table careers.step_history (
    application_id text not null,
    record_id uuid not null,
    step text not null,
    note text not null,
    caller text not null,
    changed_at timestamptz not null default now(),
    constraint step_history_pkey primary key (application_id, record_id)
);

-- The access log has the steps until now, without the notes.
insert into careers.step_history (application_id, record_id, step, note, caller, changed_at)
select application_id, record_id, step, '', caller, accessed_at
from careers.access_log
cross join unnest(array[
    'received', 'initial-discussion', 'technical-round', 'team-round', 'final-discussion', 'offered', 'rejected'
]) as step
where action = 'step: ' || step and application_id in (select application_id from careers.application);

-- Lists and exports had the same name in the access log. From now on, lists have only the columns of a table, and do not
-- count as a view of the application.
update careers.access_log set action = 'list or export' where action = 'list';
