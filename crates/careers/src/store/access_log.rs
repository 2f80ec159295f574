//! Log of every access to applications by the company.

use sqlx::PgExecutor;

use crate::error::Error;

/// Records that `caller` performed `action` on the applications.
pub(super) async fn record_access(
    executor: impl PgExecutor<'_>,
    application_ids: &[String],
    caller: &str,
    action: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "
        insert into careers.access_log (application_id, record_id, caller, action)
        select application_id, gen_random_uuid(), $2, $3 from unnest($1::text[]) as application_id
        ",
        application_ids,
        caller,
        action,
    )
    .execute(executor)
    .await?;
    Ok(())
}
