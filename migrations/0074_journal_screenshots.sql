-- Screenshots of journal entries. The pictures are files of the screenshot store.
-- Citus changes the shards of a table over several connections, except in this mode.
set local citus.multi_shard_modify_mode = 'sequential';

create table journal.screenshot (
    account_id uuid not null,
    -- Chosen by the client, so that a repeated request adds nothing.
    screenshot_id uuid not null,
    -- Name of the file of the picture.
    file_id uuid not null,
    -- Name of the file of the thumbnail, a JPEG.
    thumbnail_id uuid not null,
    -- Null until the files are stored.
    entry_id bigint,
    media_type text not null,
    width integer not null,
    height integer not null,
    bytes bigint not null,
    sha256 bytea not null,
    thumbnail_bytes bigint not null,
    thumbnail_sha256 bytea not null,
    added_at timestamptz not null,
    -- Set until the files are stored, and from the deletion on. The cleanup job deletes the files a day later.
    deleted_at timestamptz,
    constraint screenshot_pkey primary key (account_id, screenshot_id),
    constraint screenshot_media_type check (media_type in ('image/png', 'image/jpeg'))
);

create index screenshot_entry on journal.screenshot (account_id, entry_id) where deleted_at is null;
create index screenshot_deleted on journal.screenshot (deleted_at) where deleted_at is not null;
