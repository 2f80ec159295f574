//! Limits of the emails that strangers can cause, per recipient.

use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;

use super::outbox::EmailKind;
use crate::error::Error;

/// Maximum number of emails of one kind per recipient and day, about all openings together.
const MAX_EMAILS_PER_DAY: i32 = 5;

/// Counts an email to `recipient`. Returns false if the limit of the day is reached.
pub(super) async fn count_email(
    connection: &mut PgConnection,
    kind: EmailKind,
    recipient: &str,
) -> Result<bool, Error> {
    let recipient_sha256: [u8; 32] = Sha256::digest(mailbox(recipient)).into();
    let counted = sqlx::query!(
        "
        insert into careers.daily_recipient_total as t (recipient_sha256, kind, day, emails)
        values ($1, $2, (now() at time zone 'Asia/Kolkata')::date, 1)
        on conflict (recipient_sha256, kind, day) do update set emails = t.emails + 1 where t.emails < $3
        ",
        &recipient_sha256,
        kind.name(),
        MAX_EMAILS_PER_DAY,
    );
    Ok(counted.execute(connection).await?.rows_affected() == 1)
}

/// Returns the mailbox of an address: in lower case and without a `+tag`.
fn mailbox(address: &str) -> String {
    let address = address.to_lowercase();
    let Some((local, domain)) = address.rsplit_once('@') else { return address };
    let name = local.split_once('+').map_or(local, |(name, _)| name);
    format!("{name}@{domain}")
}

#[cfg(test)]
mod tests {
    use super::mailbox;

    #[test]
    fn c11_tags_belong_to_one_mailbox_and_dots_do_not() {
        assert_eq!(mailbox("Asha+jobs+more@Example.in"), "asha@example.in");
        assert_ne!(mailbox("asha.rao@example.in"), mailbox("asharao@example.in"));
    }
}
