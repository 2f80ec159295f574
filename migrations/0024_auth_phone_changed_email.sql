-- An email that tells the owner of an account about a changed phone number.

alter table auth.outbox drop constraint outbox_kind;
alter table auth.outbox add constraint outbox_kind check (
    kind in (
        'confirm-email', 'reset-password', 'password-changed', 'phone-changed', 'account-closed',
        'second-factor-added', 'second-factor-removed', 'recovery-code-used'
    )
);
