//! Request bodies in unnamed temporary files, which are deleted when they are closed.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use http_server::problem::Problem;
use tokio::io::AsyncWriteExt;

use crate::status::storage_problem;

/// Complete temporary file. It can be read more than once, but by one reader at a time.
#[derive(Clone)]
pub(crate) struct Spool(Arc<File>);

/// Temporary file that is being written.
pub(crate) struct SpoolWriter(tokio::fs::File);

impl Spool {
    /// Creates a file in `dir`, or in the system's temporary directory.
    pub async fn create(dir: Option<&Path>) -> Result<SpoolWriter, Problem> {
        let dir = dir.map_or_else(std::env::temp_dir, Path::to_owned);
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(dir)).await;
        let file = file.map_err(io::Error::from).and_then(|file| file).map_err(to_problem)?;
        Ok(SpoolWriter(tokio::fs::File::from_std(file)))
    }

    /// Returns a reader at the beginning of the file.
    pub fn reader(&self) -> io::Result<impl Read + use<>> {
        let file = self.0.try_clone()?;
        (&file).seek(SeekFrom::Start(0))?;
        Ok(BufReader::with_capacity(64 * 1024, file))
    }
}

impl SpoolWriter {
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.0.write_all(bytes).await.map_err(to_problem)
    }

    pub async fn close(mut self) -> Result<Spool, Problem> {
        self.0.flush().await.map_err(to_problem)?;
        Ok(Spool(Arc::new(self.0.into_std().await)))
    }
}

fn to_problem(error: io::Error) -> Problem {
    tracing::error!(%error, "spooling a body failed");
    storage_problem(&error)
}
