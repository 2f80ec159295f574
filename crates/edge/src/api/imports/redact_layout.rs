//! `POST /uploadexcel/layout`: the layout of a contract note with names and numbers masked.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http_server::limiter::Client;
use http_server::multipart::Multipart;
use http_server::problem::{FieldError, Problem};
use rpc::imports::v1::{RedactLayoutOptions, RedactLayoutRequest, redact_layout_request::Part};
use serde::Serialize;

use crate::caller::Trader;
use crate::limits::upload_too_large;
use crate::state::Shared;
use crate::upload::UploadForm;
use crate::upload_call::UploadCall;

/// Maximum size of a field other than the file.
const MAX_FIELD_BYTES: usize = 1024;

#[derive(Serialize)]
struct LayoutJson {
    text: String,
}

/// `POST /uploadexcel/layout`
pub(crate) async fn redact_layout(
    State(app): State<Shared>,
    trader: Trader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let form = Multipart::from_request(request, upload_too_large).await?;
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| RedactLayoutRequest { part: Some(Part::Chunk(chunk)) };
    let mut call =
        UploadCall::start(
            &app,
            &trader.context,
            to_message,
            |request| async move { imports.redact_layout(request).await },
        );
    let options = read_form(form, &trader, &mut call).await?;
    let response = call.finish(Some(RedactLayoutRequest { part: Some(Part::Options(options)) })).await?;
    Ok(Json(LayoutJson { text: response.text }).into_response())
}

async fn read_form<M: Send + 'static, R: Send + 'static>(
    mut form: Multipart,
    trader: &Trader,
    call: &mut UploadCall<M, R>,
) -> Result<RedactLayoutOptions, Problem> {
    let mut upload = UploadForm::default();
    let (mut password, mut email) = (None, None);
    while let Some(part) = form.next_part().await? {
        match part.name().to_owned().as_str() {
            "file" => upload.take_file(part, call).await?,
            "password" => {
                let text = part.text(MAX_FIELD_BYTES).await?.unwrap_or_default();
                if password.replace(text).is_some() {
                    upload.add_error(FieldError::repeated("password"));
                }
            }
            "email" => {
                let text = part.text(MAX_FIELD_BYTES).await?.unwrap_or_default();
                if let Err(problem) = trader.check_email(Some(&text)) {
                    upload.reject(problem);
                }
                if email.replace(text).is_some() {
                    upload.add_error(FieldError::repeated("email"));
                }
            }
            name => upload.add_error(FieldError::unknown(name)),
        }
    }
    upload.check_rejection()?;
    upload.require("file", upload.has_file());
    upload.finish()?;
    Ok(RedactLayoutOptions { password: password.unwrap_or_default() })
}
