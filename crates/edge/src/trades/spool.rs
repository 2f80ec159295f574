//! A body on the disk: a file that has no name, and is gone when nobody holds it.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;

use crate::problem::Problem;

/// A file that is written once, and then read from its beginning as often as wanted, by one reader at a time.
#[derive(Clone)]
pub(crate) struct Spool(Arc<File>);

/// A file that is being written.
pub(crate) struct Spooling(tokio::fs::File);

impl Spool {
    /// A new file in `dir`, or where the system keeps such.
    pub async fn open(dir: Option<&Path>) -> Result<Spooling, Problem> {
        let dir = dir.map_or_else(std::env::temp_dir, Path::to_owned);
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(dir)).await;
        let file = file.map_err(io::Error::from).and_then(|file| file).map_err(failed)?;
        Ok(Spooling(tokio::fs::File::from_std(file)))
    }

    /// Reads from the beginning.
    pub fn reader(&self) -> io::Result<impl Read + use<>> {
        let file = self.0.try_clone()?;
        (&file).seek(SeekFrom::Start(0))?;
        Ok(BufReader::with_capacity(64 * 1024, file))
    }
}

impl Spooling {
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.0.write_all(bytes).await.map_err(failed)
    }

    pub async fn close(mut self) -> Result<Spool, Problem> {
        self.0.flush().await.map_err(failed)?;
        Ok(Spool(Arc::new(self.0.into_std().await)))
    }
}

fn failed(error: io::Error) -> Problem {
    tracing::error!(%error, "spooling a body failed");
    Problem::unkept(&error)
}
