-- Applications for openings. Openings themselves are files of the program.

create schema careers;

create table careers.application (
    -- Short and readable, such as TBA-7K3M9Q2X. Drawn at random; it opens nothing.
    application_id text not null,
    job_id text not null,
    -- As the opening was called then; it may be gone by now.
    job_title text not null,
    name text not null,
    email text not null,
    -- As it is compared.
    email_key text not null,
    mobile text not null,
    college text not null,
    degree text not null,
    passing_year integer not null,
    role text,
    -- Years.
    experience numeric(4, 2) not null,
    linkedin text,
    motivation text not null,
    file_name text not null,
    -- The name in the store.
    resume_id uuid not null,
    resume_bytes bigint not null,
    resume_sha256 bytea not null,
    -- Null where the client asked for none.
    consent_application boolean,
    consent_later_roles boolean,
    notice_version text,
    received_at timestamptz not null default now(),
    step text not null default 'received',
    step_since timestamptz not null default now(),
    withdrawn_at timestamptz,
    -- Erased then, with its resume.
    kept_until timestamptz not null,
    constraint application_pkey primary key (application_id),
    constraint application_step check (
        step in (
            'received', 'initial-discussion', 'technical-round', 'team-round', 'final-discussion', 'offered', 'rejected'
        )
    )
);

create index application_received_at on careers.application (received_at, application_id);
create index application_person on careers.application (email_key, job_id, received_at);
create index application_kept_until on careers.application (kept_until);
create unique index application_resume on careers.application (resume_id);

-- What opens an application without an account, by the SHA-256 of the key.
create table careers.application_key (
    key_hash bytea not null,
    application_id text not null,
    constraint application_key_pkey primary key (key_hash)
);

create index application_key_application on careers.application_key (application_id);

-- Who of the company looked at a candidate's data, or changed it. Kept for a year, also where the data is erased.
create table careers.access_record (
    application_id text not null,
    record_id uuid not null,
    who text not null,
    what text not null,
    at timestamptz not null default now(),
    constraint access_record_pkey primary key (application_id, record_id)
);

-- Letters to candidates and to the company, until they are sent. The key in a link is drawn when the letter is written.
create table careers.letter (
    letter_id uuid not null,
    application_id text not null,
    kind text not null,
    -- Whom it goes to, for the application may be erased by then. Null: to the company's own inbox.
    email text,
    job_title text not null,
    -- What the company says beside the step.
    note text not null default '',
    requested_at timestamptz not null default now(),
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    constraint letter_pkey primary key (letter_id),
    constraint letter_kind check (kind in ('receipt', 'step', 'corrected', 'withdrawn', 'erased', 'new-application'))
);

create index letter_application on careers.letter (application_id);
create index letter_next_attempt_at on careers.letter (next_attempt_at);

-- Requests that were answered, for a day: whoever sends one again gets the same answer.
create table careers.answered_request (
    job_id text not null,
    email_key text not null,
    idempotency_key text not null,
    request_sha256 bytea not null,
    application_id text not null,
    answered_at timestamptz not null default now(),
    constraint answered_request_pkey primary key (job_id, email_key, idempotency_key)
);

create index answered_request_application on careers.answered_request (application_id);
create index answered_request_answered_at on careers.answered_request (answered_at);

-- How much came in on a day of India, against a store that somebody fills.
create table careers.day (
    day date not null,
    resume_bytes bigint not null default 0,
    constraint day_pkey primary key (day)
);
