//! Parser of the forms of imports and previews. The file and the other fields come in any order.
//!
//! A rejected form is also read to the end, because a client that is still sending would not see the response.

use http_server::multipart::{Multipart, Part};
use http_server::problem::{FieldError, Problem};
use rpc::imports::v1::ImportOptions;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Book, Broker, CommitPreviewRequest, Segment};

use crate::api::imports::commit_form::CommitForm;
use crate::broker_account::parse_account_number;
use crate::caller::Trader;
use crate::error_texts::{field_text, invalid_field, invalid_flag};
use crate::upload::UploadForm;
use crate::upload_call::UploadCall;

/// Maximum size of a field other than the file; the longest valid value is an email address of 254 characters.
const MAX_FIELD_BYTES: usize = 1024;
/// Maximum size of the `choices` field, which has the decisions about up to 1,000 conflicts.
const MAX_CHOICES_BYTES: usize = 64 * 1024;

/// Fields that have been read.
#[derive(Default)]
struct ImportForm {
    upload: UploadForm,
    broker: Option<Broker>,
    broker_account: Option<u32>,
    tradetype: Option<Segment>,
    confirm: Option<bool>,
    email: Option<String>,
    password: Option<String>,
    commit: CommitForm,
}

/// Source of an import.
pub(crate) enum ImportSource {
    /// The file of the form.
    File(ImportOptions),
    /// A stored preview.
    Preview(CommitPreviewRequest),
}

/// Reads a form with a file. Sends the file to `call` and returns the other fields.
pub(crate) async fn read_import_form<M: Send + 'static, R: Send + 'static>(
    mut form: Multipart,
    trader: &Trader,
    call: &mut UploadCall<M, R>,
) -> Result<ImportOptions, Problem> {
    let mut fields = ImportForm::default();
    while let Some(part) = form.next_part().await? {
        fields.read_part(part, trader, call).await?;
    }
    fields.finish_file()
}

/// Reads a form with a file, which is sent to `call`, or with the id of a preview.
pub(crate) async fn read_file_or_preview<M: Send + 'static, R: Send + 'static>(
    mut form: Multipart,
    trader: &Trader,
    call: &mut UploadCall<M, R>,
) -> Result<ImportSource, Problem> {
    let mut fields = ImportForm::default();
    while let Some(part) = form.next_part().await? {
        match part.name().to_owned().as_str() {
            name @ ("previewId" | "state" | "others") => {
                let text = read_text(part).await?;
                fields.commit.read_field(name, text, fields.upload.errors_mut());
            }
            "choices" => match part.text(MAX_CHOICES_BYTES).await? {
                Some(text) => fields.commit.read_field("choices", text, fields.upload.errors_mut()),
                None => {
                    let message =
                        field_text("edge", "choices", "TOO_LONG", &[("max_kib", MAX_CHOICES_BYTES as u64 / 1024)]);
                    fields.upload.add_error(FieldError::new("choices", "invalid", message));
                }
            },
            _ => fields.read_part(part, trader, call).await?,
        }
    }
    if fields.commit.is_empty() {
        fields.finish_file().map(ImportSource::File)
    } else {
        fields.finish_commit().map(ImportSource::Preview)
    }
}

impl ImportForm {
    async fn read_part<M: Send + 'static, R: Send + 'static>(
        &mut self,
        part: Part<'_>,
        trader: &Trader,
        call: &mut UploadCall<M, R>,
    ) -> Result<(), Problem> {
        let name = part.name().to_owned();
        match name.as_str() {
            "file" => self.upload.take_file(part, call).await?,
            "broker" => match Broker::from_json_name(&read_text(part).await?) {
                Some(broker) => self.set_once("broker", |form| form.broker.replace(broker).is_some()),
                None => self.upload.add_error(invalid_field("edge", "broker")),
            },
            "brokerAccount" => match parse_account_number(&read_text(part).await?) {
                Some(number) => self.set_once("brokerAccount", |form| form.broker_account.replace(number).is_some()),
                None => self.upload.add_error(invalid_field("edge", "brokerAccount")),
            },
            "tradetype" => match Segment::from_json_name(&read_text(part).await?) {
                Some(segment) => self.set_once("tradetype", |form| form.tradetype.replace(segment).is_some()),
                None => self.upload.add_error(invalid_field("edge", "tradetype")),
            },
            "confirm" => match read_text(part).await?.as_str() {
                "true" => self.set_once("confirm", |form| form.confirm.replace(true).is_some()),
                "false" => self.set_once("confirm", |form| form.confirm.replace(false).is_some()),
                _ => self.upload.add_error(invalid_flag("confirm")),
            },
            "password" => {
                let password = read_text(part).await?;
                self.set_once("password", |form| form.password.replace(password).is_some());
            }
            "email" => {
                let email = read_text(part).await?;
                if let Err(problem) = trader.check_email(Some(&email)) {
                    self.upload.reject(problem);
                }
                self.set_once("email", |form| form.email.replace(email).is_some());
            }
            _ => self.upload.add_error(FieldError::unknown(&name)),
        }
        Ok(())
    }

    /// Sets a field with `set`, and adds an error if `set` returns true, because the field was set before.
    fn set_once(&mut self, field: &'static str, set: impl FnOnce(&mut Self) -> bool) {
        if set(self) {
            self.upload.add_error(FieldError::repeated(field));
        }
    }

    /// Validates and returns the fields of a form with a file.
    fn finish_file(self) -> Result<ImportOptions, Problem> {
        let Self { mut upload, broker, broker_account, tradetype, confirm, password, .. } = self;
        upload.check_rejection()?;
        upload.require("file", upload.has_file());
        upload.require("broker", broker.is_some());
        upload.require("tradetype", tradetype.is_some());
        let file_name = upload.finish()?.unwrap_or_default();
        let book = Book {
            broker: broker.unwrap_or_default().into(),
            segment: tradetype.unwrap_or_default().into(),
            broker_account: broker_account.unwrap_or_default(),
        };
        Ok(ImportOptions {
            idempotency_key: String::new(),
            book: Some(book),
            file_name,
            password: password.unwrap_or_default(),
            confirm: confirm.unwrap_or_default(),
        })
    }

    /// Validates and returns the fields of a form with the id of a preview. The fields of a form with a file are errors.
    fn finish_commit(self) -> Result<CommitPreviewRequest, Problem> {
        let Self { mut upload, broker, broker_account, tradetype, confirm, password, commit, .. } = self;
        upload.check_rejection()?;
        let file_fields = [
            ("file", upload.has_file()),
            ("broker", broker.is_some()),
            ("tradetype", tradetype.is_some()),
            ("confirm", confirm.is_some()),
            ("password", password.is_some()),
        ];
        for (field, _) in file_fields.into_iter().filter(|(_, is_present)| *is_present) {
            upload.add_error(FieldError::new(
                field,
                "not_with_preview",
                field_text("edge", field, "NOT_WITH_PREVIEW", &[]),
            ));
        }
        upload.require("previewId", commit.has_id());
        upload.finish()?;
        Ok(commit.into_request(broker_account.unwrap_or_default()))
    }
}

/// Reads a short field. Returns an empty text, which is invalid for each of these fields, if the field is too long.
async fn read_text(part: Part<'_>) -> Result<String, Problem> {
    Ok(part.text(MAX_FIELD_BYTES).await?.unwrap_or_default())
}
