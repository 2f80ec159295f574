//! Log of every access to applications by the company.

use sqlx::PgExecutor;
use time::OffsetDateTime;

use super::Store;
use super::queries::find;
use crate::error::Error;

/// Maximum number of accesses in a list.
const MAX_ACCESSES: i64 = 1_000;

/// Access of the company to an application.
pub(crate) struct Access {
    pub(crate) accessed_at: OffsetDateTime,
    pub(crate) caller: String,
    pub(crate) action: String,
}

impl Store {
    /// Lists the accesses to an application, newest first.
    pub(crate) async fn list_accesses(&self, application_id: &str) -> Result<Vec<Access>, Error> {
        let application = find(&self.pool, application_id).await?;
        let rows = sqlx::query_as!(
            Access,
            "
            select accessed_at, caller, action from careers.access_log
            where application_id = $1
            order by accessed_at desc, record_id
            limit $2
            ",
            application.application_id,
            MAX_ACCESSES,
        );
        Ok(rows.fetch_all(&self.pool).await?)
    }
}

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
