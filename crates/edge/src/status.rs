//! Errors of the core as HTTP problems.

use std::error::Error;

use http::StatusCode;
use http_server::problem::{FieldError, Problem};
use rpc::failure::{STORAGE_FULL_REASON, service_of_domain};
use serde::Serialize;
use serde_json::value::to_raw_value;
use tonic::{Code, Status};
use tonic_types::{FieldViolation, StatusExt};

use crate::error_texts::invalid_text;

/// Broker and trade type of a file, if they are not those that the trader selected.
#[derive(Serialize)]
struct DetectedBook<'a> {
    broker: &'a str,
    tradetype: &'a str,
}

/// Converts an error of the core. The only place where this is done.
pub(crate) fn problem_from_status(status: Status) -> Problem {
    let details = status.get_error_details();
    // Only statuses of `rpc::failure` have a code. Others, such as those of a broken connection, stay in the log.
    let Some((info, service)) = details.error_info().and_then(|info| Some((info, service_of_domain(&info.domain)?)))
    else {
        return problem_from_transport(&status);
    };
    let http_status = to_http_status(status.code());
    if http_status.is_server_error() && http_status != StatusCode::SERVICE_UNAVAILABLE {
        return Problem::from_status(http_status);
    }
    let http_status = match info.reason.as_str() {
        // The limit of one account or mailbox, not of all clients together.
        "LOGIN_THROTTLED" | "SMS_LIMIT_REACHED" | "EMAIL_LIMIT_REACHED" => StatusCode::TOO_MANY_REQUESTS,
        STORAGE_FULL_REASON => StatusCode::INSUFFICIENT_STORAGE,
        _ => http_status,
    };
    let violations = details.bad_request().map(|request| request.field_violations.as_slice()).unwrap_or_default();
    let field_errors: Vec<FieldError> =
        violations.iter().map(|violation| to_field_error(service, violation, &info.metadata)).collect();
    let mut problem = Problem::new(http_status, info.reason.to_ascii_lowercase(), status_text(&status));
    for error in field_errors {
        problem = problem.with_field_error(error);
    }
    if let (Some(broker), Some(tradetype)) = (info.metadata.get("broker"), info.metadata.get("segment"))
        && let Ok(detected) = to_raw_value(&DetectedBook { broker, tradetype })
    {
        problem = problem.with_extension("detected", detected);
    }
    if let Some(Ok(day)) = info.metadata.get("deletion_date").map(to_raw_value) {
        problem = problem.with_extension("deletedOn", day);
    }
    let cause = info.metadata.get("cause").filter(|_| service == "import");
    if let Some(Ok(cause)) = cause.map(|cause| to_raw_value(&cause.to_ascii_lowercase())) {
        problem = problem.with_extension("cause", cause);
    }
    match details.retry_info().and_then(|info| info.retry_delay) {
        Some(wait) => problem.with_retry_after(wait),
        None => problem,
    }
}

/// Converts the rejection of a token.
pub(crate) fn problem_from_refusal(refused: rpc::caller::AuthError) -> Problem {
    problem_from_status(rpc::failure::to_status(&refused))
}

/// Returns 507 if `error` was caused by a full disk, 500 otherwise. The caller logs the error.
pub(crate) fn storage_problem(error: &(dyn Error + 'static)) -> Problem {
    if rpc::failure::is_storage_full(error) {
        let text = texts::error("common", STORAGE_FULL_REASON, &texts::Params::new());
        Problem::new(StatusCode::INSUFFICIENT_STORAGE, "storage_full", text.unwrap_or_default())
    } else {
        Problem::internal()
    }
}

/// Returns the text for people of an error of the core: that of its only invalid field, else that of its reason.
pub fn status_text(status: &Status) -> String {
    let details = status.get_error_details();
    let text = details.error_info().and_then(|info| {
        let service = service_of_domain(&info.domain)?;
        let violations = details.bad_request().map(|request| request.field_violations.as_slice()).unwrap_or_default();
        match violations {
            [violation] if info.reason == "INVALID" => Some(violation_text(service, violation, &info.metadata)),
            _ => texts::error(service, &info.reason, &info.metadata),
        }
    });
    text.unwrap_or_else(|| status.message().to_owned())
}

fn to_field_error(service: &str, violation: &FieldViolation, params: &texts::Params) -> FieldError {
    FieldError {
        field: rest_field(&violation.field).into(),
        code: violation.reason.to_ascii_lowercase().into(),
        message: violation_text(service, violation, params).into(),
    }
}

/// Returns the text of an invalid field; a general one if its reason has none.
fn violation_text(service: &str, violation: &FieldViolation, params: &texts::Params) -> String {
    let text = texts::field_error(service, &violation.field, &violation.reason, params);
    text.unwrap_or_else(|| invalid_text("edge", ""))
}

/// Fields whose name in the REST API is not their name in camel case: a whole path, or one name in it.
const REST_FIELDS: [(&str, &str); 15] = [
    ("idempotency_key", "Idempotency-Key"),
    ("issue_answers", "answers"),
    ("page_size", "limit"),
    ("page_token", "cursor"),
    ("form.consents.this_application", "consentApplication"),
    ("form.file_name", "resume"),
    ("chunk", "resume"),
    ("file_chunk", "file"),
    ("entry.kind", "type"),
    ("segment", "tradetype"),
    ("side", "type"),
    ("executed_at", "timestamp"),
    ("bought_at", "buyDateTime"),
    ("sold_at", "sellDateTime"),
    ("win", "status"),
];

/// Messages that the REST API does not have: it has their fields in the message around them.
const REST_INLINED: [&str; 19] = [
    "adjustment",
    "answers",
    "batch",
    "book",
    "consents",
    "content",
    "edit",
    "entry",
    "filter",
    "form",
    "group",
    "head",
    "notes",
    "options",
    "playbook",
    "report",
    "screenshot",
    "subject",
    "template",
];

/// Converts the path of a field in a request message to the name of the REST API: `trades[3].notes.stop_loss` becomes
/// `trades.3.stopLoss`.
fn rest_field(path: &str) -> String {
    let listed =
        |path: &str| REST_FIELDS.iter().find(|(listed, _)| *listed == path).map(|(_, name)| (*name).to_owned());
    if let Some(name) = listed(path) {
        return name;
    }
    let dotted = path.replace('[', ".").replace(']', "");
    let (parents, last) = dotted.rsplit_once('.').unwrap_or(("", &dotted));
    let parents = parents.split('.').filter(|parent| !parent.is_empty() && !REST_INLINED.contains(parent));
    let names: Vec<_> = parents.chain([last]).map(|name| listed(name).unwrap_or_else(|| to_camel_case(name))).collect();
    names.join(".")
}

fn to_camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut after_underscore = false;
    for c in name.chars() {
        match c {
            '_' => after_underscore = true,
            c if after_underscore => {
                camel.push(c.to_ascii_uppercase());
                after_underscore = false;
            }
            c => camel.push(c),
        }
    }
    camel
}

fn to_http_status(code: Code) -> StatusCode {
    match code {
        Code::InvalidArgument => StatusCode::UNPROCESSABLE_ENTITY,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => StatusCode::CONFLICT,
        Code::OutOfRange => StatusCode::PAYLOAD_TOO_LARGE,
        Code::ResourceExhausted | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        // tonic reports "cancelled" when a server's own timeout elapses.
        Code::DeadlineExceeded | Code::Cancelled => StatusCode::GATEWAY_TIMEOUT,
        Code::Ok | Code::Unknown | Code::Unimplemented | Code::Internal | Code::DataLoss => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// Converts an error of the transport, which no service of ours sent.
fn problem_from_transport(status: &Status) -> Problem {
    tracing::warn!(code = ?status.code(), error = %rpc::failure::error_chain(status), "the core did not answer properly");
    let http_status = to_http_status(status.code());
    if http_status.is_server_error() { Problem::from_status(http_status) } else { Problem::internal() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_error_has_the_text_of_its_reason_or_a_general_one() {
        for (reason, text) in [
            ("EMAIL_TAKEN", "This email address already has an account. Log in instead."),
            ("MOON", "This value is invalid."),
        ] {
            let violation =
                FieldViolation { field: "email".to_owned(), reason: reason.to_owned(), ..Default::default() };
            assert_eq!(to_field_error("auth", &violation, &texts::Params::new()).message, text);
        }
    }

    #[test]
    fn s2_the_email_limit_of_a_mailbox_is_429_with_a_retry_delay() {
        let mut details = tonic_types::ErrorDetails::with_error_info("EMAIL_LIMIT_REACHED", "careers.tradebahi", []);
        details.set_retry_info(Some(std::time::Duration::from_hours(1)));
        let status = Status::with_error_details(Code::ResourceExhausted, "", details);
        let response = axum::response::IntoResponse::into_response(problem_from_status(status));
        let response = http_server::problem::render(response, "urn:uuid:0", false);
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()["retry-after"], "3600");
    }

    #[test]
    fn names_fields_as_in_the_rest_api() {
        for (path, name) in [
            ("stop_loss", "stopLoss"),
            ("idempotency_key", "Idempotency-Key"),
            ("issue_answers", "answers"),
            ("page_size", "limit"),
            ("page_token", "cursor"),
            ("head.idempotency_key", "Idempotency-Key"),
            ("book.segment", "tradetype"),
            ("trade.notes.stock_name", "trade.stockName"),
            ("trades[3].notes.notes", "trades.3.notes"),
            ("trades[12].executed_at", "trades.12.timestamp"),
            ("entry.kind", "type"),
            ("content.planned_stop", "plannedStop"),
            ("subjects[3].key", "subjects.3.key"),
            ("playbook.rules[0].text", "rules.0.text"),
            ("edit.add_tags[1]", "addTags.1"),
            ("kind", "kind"),
            ("form.answers.passing_year", "passingYear"),
            ("form.consents.this_application", "consentApplication"),
            ("form.consents.notice_version", "noticeVersion"),
            ("form.file_name", "resume"),
        ] {
            assert_eq!(rest_field(path), name, "{path}");
        }
    }
}
