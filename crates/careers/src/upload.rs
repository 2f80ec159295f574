//! Upload of an application: receives the form and the resume, and hashes the resume while writing it to an unnamed
//! temporary file.

use std::path::Path;

use rpc::careers::v1::submit_application_request::Part;
use rpc::careers::v1::{ApplicationForm, SubmitApplicationRequest};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use tonic::{Status, Streaming};

use crate::error::Error;

/// Maximum resume size in bytes (5 MiB). Larger files are rejected.
const MAX_RESUME_BYTES: i64 = 5_242_880;

/// Complete upload whose form is not validated yet.
pub(crate) struct Upload {
    pub(crate) form: ApplicationForm,
    pub(crate) resume: TemporaryResume,
}

/// Received resume in an unnamed file, which the operating system deletes when it is closed.
pub(crate) struct TemporaryResume {
    pub(crate) file: std::fs::File,
    pub(crate) bytes: i64,
    pub(crate) sha256: [u8; 32],
}

/// Receives a complete application. An aborted upload leaves no file behind.
pub(crate) async fn receive(dir: &Path, mut parts: Streaming<SubmitApplicationRequest>) -> Result<Upload, Error> {
    let mut resume = ResumeWriter::open(dir).await?;
    let mut received_form = None;
    while let Some(part) = next_part(&mut parts).await? {
        match part {
            Part::Form(form) if received_form.is_none() => received_form = Some(form),
            Part::Chunk(chunk) => resume.write(&chunk).await?,
            Part::End(end) => {
                let form = received_form.filter(|_| end.bytes == resume.bytes).ok_or(Error::IncompleteUpload)?;
                return Ok(Upload { form, resume: resume.finish().await? });
            }
            Part::Form(_) => return Err(Error::IncompleteUpload),
        }
    }
    Err(Error::IncompleteUpload)
}

async fn next_part(parts: &mut Streaming<SubmitApplicationRequest>) -> Result<Option<Part>, Error> {
    let message = parts.message().await.map_err(|status: Status| Error::UploadAborted(status))?;
    Ok(message.and_then(|message| message.part))
}

/// Writes a resume to an unnamed file, counting and hashing its bytes.
struct ResumeWriter {
    file: File,
    hash: Sha256,
    bytes: i64,
}

impl ResumeWriter {
    async fn open(dir: &Path) -> Result<Self, Error> {
        let dir = dir.to_owned();
        let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(dir)).await?;
        let file = file.map_err(Error::io("failed to create a temporary file for a resume"))?;
        Ok(Self { file: File::from_std(file), hash: Sha256::new(), bytes: 0 })
    }

    async fn write(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(i64::try_from(chunk.len()).unwrap_or(i64::MAX));
        if self.bytes > MAX_RESUME_BYTES {
            return Err(Error::ResumeTooLarge);
        }
        self.hash.update(chunk);
        self.file.write_all(chunk).await.map_err(Error::io("failed to write a temporary resume"))
    }

    async fn finish(mut self) -> Result<TemporaryResume, Error> {
        self.file.flush().await.map_err(Error::io("failed to write a temporary resume"))?;
        let file = self.file.into_std().await;
        Ok(TemporaryResume { file, bytes: self.bytes, sha256: self.hash.finalize().into() })
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_RESUME_BYTES;

    #[test]
    fn the_text_of_the_size_limit_has_its_value() {
        let text = texts::error("careers", "RESUME_TOO_LARGE", &texts::Params::new()).unwrap();
        assert!(text.contains(&format!("{}MB", MAX_RESUME_BYTES >> 20)), "{text}");
    }
}
