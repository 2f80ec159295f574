//! `POST /uploadexcel/columns`: the table of a file, and what a column mapping makes of it.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http_server::json_fields::{JsonFields, JsonObject};
use http_server::limiter::Client;
use http_server::multipart::Multipart;
use http_server::problem::{FieldError, Problem};
use rpc::imports::v1::{MapColumnsOptions, MapColumnsRequest, MapColumnsResponse, TableRow, map_columns_request::Part};
use serde::Serialize;

use crate::api::imports::json::FileReportJson;
use crate::caller::Trader;
use crate::column_mapping_json::parse_mapping;
use crate::error_texts::invalid_field;
use crate::json::JsonError;
use crate::limits::upload_too_large;
use crate::state::Shared;
use crate::upload::UploadForm;
use crate::upload_call::UploadCall;

/// Maximum size of the field `mapping`; JSON takes more space than the 3 KiB of the core.
const MAX_MAPPING_BYTES: usize = 16 * 1024;
/// Maximum size of another field than the file and the mapping.
const MAX_FIELD_BYTES: usize = 1024;

/// Table of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TableJson {
    #[serde(skip_serializing_if = "String::is_empty")]
    sheet: String,
    header_row: u32,
    header: Vec<String>,
    rows: Vec<TableRowJson>,
    /// Trades and issues that the mapping makes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<FileReportJson>,
    issue_counts: BTreeMap<String, i64>,
    date_order_proven: bool,
}

#[derive(Serialize)]
struct TableRowJson {
    row: u32,
    cells: Vec<String>,
}

impl TryFrom<MapColumnsResponse> for TableJson {
    type Error = JsonError;

    fn try_from(table: MapColumnsResponse) -> Result<Self, JsonError> {
        let to_row = |TableRow { number, cells }| TableRowJson { row: number, cells };
        Ok(Self {
            sheet: table.sheet,
            header_row: table.header_row,
            header: table.header,
            rows: table.rows.into_iter().map(to_row).collect(),
            result: table.result.map(FileReportJson::try_from).transpose()?,
            issue_counts: table.issue_counts.into_iter().collect(),
            date_order_proven: table.date_order_proven,
        })
    }
}

/// `POST /uploadexcel/columns`
pub(crate) async fn map_columns(
    State(app): State<Shared>,
    trader: Trader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let form = Multipart::from_request(request, upload_too_large).await?;
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| MapColumnsRequest { part: Some(Part::Chunk(chunk)) };
    let mut call =
        UploadCall::start(
            &app,
            &trader.context,
            to_message,
            |request| async move { imports.map_columns(request).await },
        );
    let options = read_form(form, &trader, &mut call).await?;
    let response = call.finish(Some(MapColumnsRequest { part: Some(Part::Options(options)) })).await?;
    Ok(Json(TableJson::try_from(response)?).into_response())
}

async fn read_form<M: Send + 'static, R: Send + 'static>(
    mut form: Multipart,
    trader: &Trader,
    call: &mut UploadCall<M, R>,
) -> Result<MapColumnsOptions, Problem> {
    let mut upload = UploadForm::default();
    let mut options = MapColumnsOptions::default();
    while let Some(part) = form.next_part().await? {
        match part.name().to_owned().as_str() {
            "file" => upload.take_file(part, call).await?,
            "mapping" => {
                let text = part.text(MAX_MAPPING_BYTES).await?.unwrap_or_default();
                match serde_json::from_str::<JsonObject>(&text) {
                    Ok(object) => {
                        let mut fields = JsonFields::new("mapping.", object);
                        options.mapping = Some(parse_mapping(&mut fields));
                        upload.errors_mut().extend(fields.into_errors());
                    }
                    Err(_) => upload.add_error(invalid_field("edge", "mapping")),
                }
            }
            "headerRow" => match part.text(MAX_FIELD_BYTES).await?.unwrap_or_default().parse() {
                Ok(row) if row > 0 => options.header_row = row,
                Ok(_) | Err(_) => upload.add_error(invalid_field("edge", "headerRow")),
            },
            "email" => {
                let email = part.text(MAX_FIELD_BYTES).await?.unwrap_or_default();
                if let Err(problem) = trader.check_email(Some(&email)) {
                    upload.reject(problem);
                }
            }
            name => upload.add_error(FieldError::unknown(name)),
        }
    }
    upload.check_rejection()?;
    upload.require("file", upload.has_file());
    upload.finish()?;
    Ok(options)
}
