//! The file of an upload form, read while it arrives. Maximum sizes are in [`crate::limits`].
//!
//! A form is read to its end even if it is rejected: a client that is still sending would not see the response.

use http_server::multipart::{Multipart, Part};
use http_server::problem::{FieldError, Problem};

use crate::limits::{MAX_UPLOAD_BYTES, upload_too_large};
use crate::upload_call::UploadCall;

/// Maximum length of a file name; the rest is cut off.
const MAX_FILE_NAME_CHARS: usize = 150;

/// Upload form as far as it has been read.
#[derive(Default)]
pub(crate) struct UploadForm {
    file_name: Option<String>,
    errors: Vec<FieldError>,
    /// Rejection of the whole form, in addition to `errors`.
    rejection: Option<Problem>,
}

impl UploadForm {
    /// Passes the file in `part` on to `call` while it arrives.
    pub async fn take_file<M: Send + 'static, R: Send + 'static>(
        &mut self,
        mut part: Part<'_>,
        call: &mut UploadCall<M, R>,
    ) -> Result<(), Problem> {
        let file_name = clean_file_name(part.file_name());
        if self.file_name.replace(file_name).is_some() {
            self.add_error(FieldError::repeated("file"));
        }
        let mut bytes = 0_u64;
        while let Some(chunk) = part.chunk().await? {
            bytes = bytes.saturating_add(chunk.len() as u64);
            if bytes > MAX_UPLOAD_BYTES {
                self.reject(upload_too_large());
            }
            // A form that is rejected already need not be passed on.
            if self.rejection.is_none() && self.errors.is_empty() {
                call.push(chunk).await;
            }
        }
        Ok(())
    }

    /// Records an error of a field.
    pub fn add_error(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    /// Returns the errors, to add further ones.
    pub fn errors_mut(&mut self) -> &mut Vec<FieldError> {
        &mut self.errors
    }

    /// Rejects the whole form, unless it is rejected already.
    pub fn reject(&mut self, problem: Problem) {
        self.rejection.get_or_insert(problem);
    }

    /// Records an error unless `field` is present or has an error already.
    pub fn require(&mut self, field: &'static str, is_present: bool) {
        if !is_present && self.errors.iter().all(|error| error.field != field) {
            self.errors.push(FieldError::required(field));
        }
    }

    /// Returns true if the form contains a file.
    pub fn has_file(&self) -> bool {
        self.file_name.is_some()
    }

    /// Rejects the request if the form is rejected as a whole.
    pub fn check_rejection(&mut self) -> Result<(), Problem> {
        self.rejection.take().map_or(Ok(()), Err)
    }

    /// Rejects the request if there are errors; returns the name of the file.
    pub fn finish(self) -> Result<Option<String>, Problem> {
        Problem::reject_any(self.errors)?;
        Ok(self.file_name)
    }
}

/// Reads a form that consists of a file only, and passes the file on to `call`.
pub(crate) async fn read_file<M: Send + 'static, R: Send + 'static>(
    mut form: Multipart,
    call: &mut UploadCall<M, R>,
) -> Result<(), Problem> {
    let mut upload = UploadForm::default();
    while let Some(part) = form.next_part().await? {
        match part.name() {
            "file" => upload.take_file(part, call).await?,
            name => upload.add_error(FieldError::unknown(name)),
        }
    }
    upload.check_rejection()?;
    upload.require("file", upload.has_file());
    upload.finish().map(drop)
}

/// Returns the name without its folder, control characters and characters that change the text direction.
fn clean_file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let changes_direction = |character: char| {
        matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}'
        )
    };
    let is_allowed = |character: &char| !character.is_control() && !changes_direction(*character);
    let name: String = name.chars().filter(is_allowed).take(MAX_FILE_NAME_CHARS).collect();
    if name.trim().is_empty() { "file".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_has_neither_folder_nor_control_characters() {
        assert_eq!(clean_file_name("tradebook.csv"), "tradebook.csv");
        assert_eq!(clean_file_name("C:\\Users\\a\\tradebook.csv"), "tradebook.csv");
        assert_eq!(clean_file_name("../../etc/passwd"), "passwd");
        assert_eq!(clean_file_name("a\u{202e}vsc.exe\r\n\0"), "avsc.exe");
        assert_eq!(clean_file_name(""), "file");
        assert_eq!(clean_file_name(&"x".repeat(500)).len(), 150);
    }
}
