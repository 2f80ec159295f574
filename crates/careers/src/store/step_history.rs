//! Steps to which the company moved applications, with the notes to their candidates.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::application::Step;
use crate::error::Error;

/// Step that the company set, or note about the current one.
pub(crate) struct StepRecord {
    pub(crate) changed_at: OffsetDateTime,
    pub(crate) step: Step,
    pub(crate) caller: String,
    pub(crate) note: String,
}

/// Lists the steps of an application, oldest first.
pub(super) async fn list_steps(executor: impl PgExecutor<'_>, application_id: &str) -> Result<Vec<StepRecord>, Error> {
    let rows = sqlx::query!(
        "
        select changed_at, step, caller, note from careers.step_history
        where application_id = $1
        order by changed_at, record_id
        ",
        application_id,
    );
    let rows = rows.fetch_all(executor).await?;
    rows.into_iter()
        .map(|row| {
            let step = Step::parse_stored(&row.step)?;
            Ok(StepRecord { changed_at: row.changed_at, step, caller: row.caller, note: row.note })
        })
        .collect()
}

/// Records that `caller` set `step`, or sent a note about it.
pub(super) async fn record_step(
    connection: &mut PgConnection,
    application_id: &str,
    step: Step,
    note: &str,
    caller: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "
        insert into careers.step_history (application_id, record_id, step, note, caller)
        values ($1, $2, $3, $4, $5)
        ",
        application_id,
        Uuid::now_v7(),
        step.name(),
        note,
        caller,
    )
    .execute(connection)
    .await?;
    Ok(())
}
