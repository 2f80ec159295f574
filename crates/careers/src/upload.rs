//! An application on its way in: the form, and the resume, spooled to a file without a name and hashed as it comes.

use std::path::Path;

use rpc::careers::v1::submit_application_request::Part;
use rpc::careers::v1::{ApplicationForm, SubmitApplicationRequest};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use tonic::{Status, Streaming};

use crate::error::Error;

/// What a resume may have.
const LARGEST_RESUME: i64 = 5_242_880;

/// An application that has arrived, its form unchecked.
pub(crate) struct Upload {
    pub(crate) form: ApplicationForm,
    pub(crate) resume: Spooled,
}

/// A file that is gone when nobody holds it, whatever happens.
pub(crate) struct Spooled {
    pub(crate) file: std::fs::File,
    pub(crate) bytes: i64,
    pub(crate) sha256: [u8; 32],
}

/// Receives a whole application. A caller who goes away leaves nothing behind.
pub(crate) async fn receive(dir: &Path, mut parts: Streaming<SubmitApplicationRequest>) -> Result<Upload, Error> {
    let mut spool = Spool::open(dir).await?;
    let mut form = None;
    while let Some(part) = next(&mut parts).await? {
        match part {
            Part::Form(said) if form.is_none() => form = Some(said),
            Part::Chunk(chunk) => spool.write(&chunk).await?,
            Part::End(end) => {
                let form = form.filter(|_| end.bytes == spool.bytes).ok_or(Error::BrokenOff)?;
                return Ok(Upload { form, resume: spool.close().await? });
            }
            Part::Form(_) => return Err(Error::BrokenOff),
        }
    }
    Err(Error::BrokenOff)
}

async fn next(parts: &mut Streaming<SubmitApplicationRequest>) -> Result<Option<Part>, Error> {
    let message = parts.message().await.map_err(|status: Status| Error::Call(status))?;
    Ok(message.and_then(|message| message.part))
}

struct Spool {
    file: File,
    hash: Sha256,
    bytes: i64,
}

impl Spool {
    async fn open(dir: &Path) -> Result<Self, Error> {
        let dir = dir.to_owned();
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(dir)).await?;
        let file = file.map_err(Error::io("spooling a resume failed"))?;
        Ok(Self { file: File::from_std(file), hash: Sha256::new(), bytes: 0 })
    }

    async fn write(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(i64::try_from(chunk.len()).unwrap_or(i64::MAX));
        if self.bytes > LARGEST_RESUME {
            return Err(Error::ResumeTooLarge);
        }
        self.hash.update(chunk);
        self.file.write_all(chunk).await.map_err(Error::io("spooling a resume failed"))
    }

    async fn close(mut self) -> Result<Spooled, Error> {
        self.file.flush().await.map_err(Error::io("spooling a resume failed"))?;
        let file = self.file.into_std().await;
        Ok(Spooled { file, bytes: self.bytes, sha256: self.hash.finalize().into() })
    }
}
