-- Whether an account signs in by Google stands with the account: its identities lie by what Google calls them, so that
-- on a cluster every look at an account would ask all nodes.

alter table auth.account add column has_google boolean not null default false;
