//! The form of an upload. Its fields come in any order, the file among them.
//!
//! A form is read to its end even when it is refused: a client that is still sending would not see the answer.

use http::StatusCode;
use rpc::imports::v1::Choice;
use rpc::trades::v1::{Book, Broker, CommitPreviewRequest, Segment};

use crate::auth::Trader;
use crate::commit::Commit;
use crate::input::unknown;
use crate::parts::{Part, Parts};
use crate::problem::{FieldError, Problem};
use crate::transfer::Transfer;
use crate::words;

/// A file may have this many bytes.
const LARGEST_FILE: u64 = 32 * 1024 * 1024;
/// The file and everything around it.
pub(crate) const LARGEST_FORM: usize = 32 * 1024 * 1024 + 64 * 1024;
/// Bytes of a field that is not the file. The longest that means anything is an address of 254 characters.
const LONGEST_FIELD: usize = 1024;
/// The same for what was decided about a thousand conflicts.
const LONGEST_CHOICES: usize = 64 * 1024;
/// Characters of a file's name that are kept.
const LONGEST_NAME: usize = 150;

/// What the form says so far.
#[derive(Default)]
struct Form {
    broker: Option<Broker>,
    tradetype: Option<Segment>,
    confirm: Option<bool>,
    email: Option<String>,
    file_name: Option<String>,
    commit: Commit,
    errors: Vec<FieldError>,
    /// Why the form is refused, besides `errors`.
    refused: Option<Problem>,
}

/// What is to be imported.
pub(crate) enum Sent {
    /// The file that came.
    File(Choice),
    /// What a preview showed.
    Preview(CommitPreviewRequest),
}

/// Hands the file among `parts` to `transfer` as it comes, and returns the choice once all is read.
pub(crate) async fn read<M: Send + 'static, A: Send + 'static>(
    mut parts: Parts,
    trader: &Trader,
    transfer: &mut Transfer<M, A>,
) -> Result<Choice, Problem> {
    let mut form = Form::default();
    while let Some(field) = parts.next().await? {
        form.take(field, trader, transfer).await?;
    }
    form.finish()
}

/// The same for a form that may name a preview instead.
pub(crate) async fn read_either<M: Send + 'static, A: Send + 'static>(
    mut parts: Parts,
    trader: &Trader,
    transfer: &mut Transfer<M, A>,
) -> Result<Sent, Problem> {
    let mut form = Form::default();
    while let Some(field) = parts.next().await? {
        match field.name().to_owned().as_str() {
            name @ ("previewId" | "state" | "others") => {
                let text = short(field).await?;
                form.commit.take(name, text, &mut form.errors);
            }
            "choices" => match field.text(LONGEST_CHOICES).await? {
                Some(text) => form.commit.take("choices", text, &mut form.errors),
                None => form.wrong("choices", "This is longer than 64 KiB."),
            },
            _ => form.take(field, trader, transfer).await?,
        }
    }
    if form.commit.is_empty() { form.finish().map(Sent::File) } else { form.finish_commit().map(Sent::Preview) }
}

/// The same for a form with a file and nothing else.
pub(crate) async fn read_file<M: Send + 'static, A: Send + 'static>(
    mut parts: Parts,
    transfer: &mut Transfer<M, A>,
) -> Result<(), Problem> {
    let mut form = Form::default();
    while let Some(field) = parts.next().await? {
        match field.name() {
            "file" => form.file(field, transfer).await?,
            name => form.errors.push(unknown(name.to_owned())),
        }
    }
    form.finish_file()
}

impl Form {
    async fn take<M: Send + 'static, A: Send + 'static>(
        &mut self,
        field: Part<'_>,
        trader: &Trader,
        transfer: &mut Transfer<M, A>,
    ) -> Result<(), Problem> {
        let name = field.name().to_owned();
        match name.as_str() {
            "file" => self.file(field, transfer).await?,
            "broker" => match words::broker(&short(field).await?) {
                Some(broker) => self.once("broker", |form| form.broker.replace(broker).is_some()),
                None => self.wrong("broker", "Say zerodha or groww."),
            },
            "tradetype" => match words::segment(&short(field).await?) {
                Some(segment) => self.once("tradetype", |form| form.tradetype.replace(segment).is_some()),
                None => self.wrong("tradetype", "Say equity or fno."),
            },
            "confirm" => match short(field).await?.as_str() {
                "true" => self.once("confirm", |form| form.confirm.replace(true).is_some()),
                "false" => self.once("confirm", |form| form.confirm.replace(false).is_some()),
                _ => self.wrong("confirm", "Say true or false."),
            },
            "email" => {
                let email = short(field).await?;
                if let Err(problem) = trader.is(Some(&email)) {
                    self.refused.get_or_insert(problem);
                }
                self.once("email", |form| form.email.replace(email).is_some());
            }
            _ => self.errors.push(unknown(name)),
        }
        Ok(())
    }

    fn wrong(&mut self, field: &'static str, message: &'static str) {
        self.errors.push(FieldError::new(field, "invalid", message));
    }

    /// Sets a field by `set`, which says whether it was set before.
    fn once(&mut self, field: &'static str, set: impl FnOnce(&mut Self) -> bool) {
        if set(self) {
            self.errors.push(FieldError::new(field, "repeated", "This field was sent more than once."));
        }
    }

    async fn file<M: Send + 'static, A: Send + 'static>(
        &mut self,
        mut field: Part<'_>,
        transfer: &mut Transfer<M, A>,
    ) -> Result<(), Problem> {
        let name = clean(field.file_name());
        self.once("file", |form| form.file_name.replace(name).is_some());
        let mut bytes = 0_u64;
        while let Some(chunk) = field.chunk().await? {
            bytes = bytes.saturating_add(chunk.len() as u64);
            if bytes > LARGEST_FILE {
                self.refused.get_or_insert(too_large());
            }
            // Nothing of a form that is refused already needs to travel on.
            if self.refused.is_none() && self.errors.is_empty() {
                transfer.push(chunk).await;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Choice, Problem> {
        if let Some(problem) = self.refused {
            return Err(problem);
        }
        let Self { broker, tradetype, confirm, file_name, .. } = &mut self;
        let (broker, tradetype, file_name) = (broker.take(), tradetype.take(), file_name.take());
        let confirm = confirm.unwrap_or(false);
        self.require("file", file_name.is_some());
        self.require("broker", broker.is_some());
        self.require("tradetype", tradetype.is_some());
        let (Some(broker), Some(segment), Some(file_name), true) =
            (broker, tradetype, file_name, self.errors.is_empty())
        else {
            return Err(Problem::fields(self.errors));
        };
        let book = Book { broker: broker.into(), segment: segment.into() };
        Ok(Choice { idempotency_key: Default::default(), book: Some(book), file_name, confirm })
    }

    /// A preview is named, so that nothing else may be.
    fn finish_commit(mut self) -> Result<CommitPreviewRequest, Problem> {
        if let Some(problem) = self.refused.take() {
            return Err(problem);
        }
        let others = [
            ("file", self.file_name.is_some()),
            ("broker", self.broker.is_some()),
            ("tradetype", self.tradetype.is_some()),
            ("confirm", self.confirm.is_some()),
        ];
        for (field, _) in others.into_iter().filter(|(_, there)| *there) {
            self.errors.push(FieldError::new(field, "not_with_preview", "A preview has its file already."));
        }
        self.require("previewId", self.commit.has_id());
        if self.errors.is_empty() { Ok(self.commit.request()) } else { Err(Problem::fields(self.errors)) }
    }

    fn finish_file(mut self) -> Result<(), Problem> {
        if let Some(problem) = self.refused.take() {
            return Err(problem);
        }
        self.require("file", self.file_name.is_some());
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::fields(self.errors)) }
    }

    fn require(&mut self, field: &'static str, there: bool) {
        if !there && self.errors.iter().all(|error| error.field != field) {
            self.errors.push(FieldError::new(field, "required", "This field is required."));
        }
    }
}

/// A field whose words are all short ones: a longer text is none of them.
async fn short(field: Part<'_>) -> Result<String, Problem> {
    Ok(field.text(LONGEST_FIELD).await?.unwrap_or_default())
}

pub(crate) fn too_large() -> Problem {
    Problem::of_status(StatusCode::PAYLOAD_TOO_LARGE).saying("file_too_large", "The file is larger than 32 MiB.")
}

/// A file's name without its folder, and without what would change how a line with it is shown.
fn clean(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let turns = |character: char| matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}');
    let name: String = name.chars().filter(|c| !c.is_control() && !turns(*c)).take(LONGEST_NAME).collect();
    if name.trim().is_empty() { "file".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_alone() {
        assert_eq!(clean("tradebook.csv"), "tradebook.csv");
        assert_eq!(clean("C:\\Users\\a\\tradebook.csv"), "tradebook.csv");
        assert_eq!(clean("../../etc/passwd"), "passwd");
        assert_eq!(clean("a\u{202e}vsc.exe\r\n\0"), "avsc.exe");
        assert_eq!(clean(""), "file");
        assert_eq!(clean(&"x".repeat(500)).len(), 150);
    }
}
