//! `POST /uploadexcel/ledger`: imports a broker's ledger, or returns what that would add.

use axum::extract::{Request, State};
use axum::response::Response;
use http_server::limiter::Client;
use http_server::multipart::Multipart;
use http_server::problem::{FieldError, Problem};
use rpc::imports::v1::{ImportLedgerRequest, LedgerOptions, import_ledger_request::Part};

use crate::broker_account::parse_account_number;
use crate::caller::Trader;
use crate::error_texts::{invalid_field, invalid_flag};
use crate::json::respond;
use crate::limits::upload_too_large;
use crate::state::Shared;
use crate::upload::UploadForm;
use crate::upload_call::UploadCall;

/// Maximum size of a field other than the file.
const MAX_FIELD_BYTES: usize = 64;

/// `POST /uploadexcel/ledger`
pub(crate) async fn import_ledger(
    State(app): State<Shared>,
    trader: Trader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let form = Multipart::from_request(request, upload_too_large).await?;
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| ImportLedgerRequest { part: Some(Part::Chunk(chunk)) };
    let mut call =
        UploadCall::start(
            &app,
            &trader.context,
            to_message,
            |request| async move { imports.import_ledger(request).await },
        );
    let options = read_form(form, &mut call).await?;
    respond(&call.finish(Some(ImportLedgerRequest { part: Some(Part::Options(options)) })).await?)
}

async fn read_form<M: Send + 'static, R: Send + 'static>(
    mut form: Multipart,
    call: &mut UploadCall<M, R>,
) -> Result<LedgerOptions, Problem> {
    let mut upload = UploadForm::default();
    let (mut broker_account, mut preview) = (None, None);
    while let Some(part) = form.next_part().await? {
        let name = part.name().to_owned();
        if name == "file" {
            upload.take_file(part, call).await?;
            continue;
        }
        let text = part.text(MAX_FIELD_BYTES).await?.unwrap_or_default();
        let is_repeated = match (name.as_str(), text.as_str()) {
            ("brokerAccount", text) => match parse_account_number(text) {
                Some(number) => broker_account.replace(number).is_some(),
                None => {
                    upload.add_error(invalid_field("edge", "brokerAccount"));
                    false
                }
            },
            ("preview", "true") => preview.replace(true).is_some(),
            ("preview", "false") => preview.replace(false).is_some(),
            ("preview", _) => {
                upload.add_error(invalid_flag("preview"));
                false
            }
            (name, _) => {
                upload.add_error(FieldError::unknown(name));
                false
            }
        };
        if is_repeated {
            upload.add_error(FieldError::repeated(if name == "preview" { "preview" } else { "brokerAccount" }));
        }
    }
    upload.check_rejection()?;
    upload.require("file", upload.has_file());
    let file_name = upload.finish()?.unwrap_or_default();
    Ok(LedgerOptions {
        file_name,
        broker_account: broker_account.unwrap_or_default(),
        preview: preview.unwrap_or_default(),
    })
}
