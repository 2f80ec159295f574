//! Workbooks that are written on a blocking thread while pages of rows arrive.

use std::fs::File;
use std::path::Path;

use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use http_server::problem::Problem;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::download::finish_workbook;
use crate::state::Shared;
use crate::stream_error::StreamError;

/// Maximum number of pages that wait to be written to a workbook.
const PAGE_QUEUE_CAPACITY: usize = 2;

/// Stream of pages of rows.
pub(crate) type Pages<T> = BoxStream<'static, Result<Vec<T>, StreamError>>;

/// Pages on the blocking thread.
pub(crate) type PageIterator<'i, T> = &'i mut dyn Iterator<Item = Result<Vec<T>, export::Error>>;

/// Message to the thread that writes a workbook. A channel closed before `End` aborts the workbook.
enum WorkbookMessage<T> {
    Page(Vec<T>),
    End,
}

/// Writes a workbook with `write` on a blocking thread while the pages arrive.
pub(crate) async fn write_workbook<T: Send + 'static>(
    app: &Shared,
    account_id: Uuid,
    mut pages: Pages<T>,
    write: fn(PageIterator<'_, T>, &Path) -> Result<File, export::Error>,
) -> Result<File, Problem> {
    let permits = app.acquire_workbook(account_id).await?;
    let dir = app.settings.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
    let (sender, mut receiver) = mpsc::channel(PAGE_QUEUE_CAPACITY);
    let writer = tokio::task::spawn_blocking(move || {
        let _permits = permits;
        let mut pages = std::iter::from_fn(|| match receiver.blocking_recv() {
            Some(WorkbookMessage::Page(page)) => Some(Ok(page)),
            Some(WorkbookMessage::End) => None,
            None => Some(Err(export::Error::Aborted)),
        });
        write(&mut pages, &dir)
    });
    let send_all = async {
        while let Some(page) = pages.try_next().await? {
            // Fails only if the writer has failed; the result of the writer contains the reason.
            if sender.send(WorkbookMessage::Page(page)).await.is_err() {
                return Ok(());
            }
        }
        let _ = sender.send(WorkbookMessage::End).await;
        Ok(())
    };
    send_all.await.inspect_err(log_error)?;
    drop(sender);
    finish_workbook(writer.await)
}

pub(crate) fn log_error(error: &StreamError) {
    tracing::error!(error = %rpc::failure::error_chain(error), "an export was aborted");
}
