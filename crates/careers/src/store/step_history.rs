//! Steps to which the company moved applications, with the notes to their candidates.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::application::Step;
use crate::error::Error;

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
