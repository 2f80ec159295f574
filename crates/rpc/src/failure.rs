//! Mapping of domain errors to gRPC statuses.
//!
//! The status contains a stable reason code in `ErrorInfo` and the invalid fields in `BadRequest`, the standard error
//! details of `google.rpc`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;
use std::{io, iter};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

/// Domain in the `ErrorInfo` of every status, preceded by the name of the service: `auth.tradebahi`.
const ERROR_DOMAIN: &str = "tradebahi";

/// Reason code of every failure of [`Kind::StorageFull`].
pub const STORAGE_FULL_REASON: &str = "STORAGE_FULL";

/// Reason code of every internal failure. Its text does not say whether anything was changed, which is unknown if the
/// response to a commit was lost.
const INTERNAL_REASON: &str = "INTERNAL";

/// Kind of a failure. Add a variant only if callers handle it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request is well-formed but breaks a rule. The caller can correct it. Maps to `INVALID_ARGUMENT`.
    Invalid,
    /// The caller has no valid credentials and has to log in. Maps to `UNAUTHENTICATED`.
    Unauthenticated,
    /// The caller is not allowed to do this. Maps to `PERMISSION_DENIED`.
    Forbidden,
    /// The requested entity does not exist. Maps to `NOT_FOUND`.
    NotFound,
    /// Another entity already has the value that must be unique. Maps to `ALREADY_EXISTS`.
    AlreadyExists,
    /// The current state does not allow the request, and a retry alone does not help. Maps to `FAILED_PRECONDITION`.
    FailedPrecondition,
    /// A concurrent change got in the way; read the current state and try again. Maps to `ABORTED`.
    Aborted,
    /// The request exceeds a size limit. Maps to `OUT_OF_RANGE`.
    TooLarge,
    /// A limit on load or attempts is reached. The caller can retry later. Maps to `RESOURCE_EXHAUSTED`.
    Busy,
    /// A disk of the server is full. A retry succeeds only after an operator has freed space. Maps to
    /// `RESOURCE_EXHAUSTED`.
    StorageFull,
    /// The server failed. Maps to `INTERNAL`.
    Internal,
}

impl Kind {
    fn code(self) -> Code {
        match self {
            Self::Invalid => Code::InvalidArgument,
            Self::Unauthenticated => Code::Unauthenticated,
            Self::Forbidden => Code::PermissionDenied,
            Self::NotFound => Code::NotFound,
            Self::AlreadyExists => Code::AlreadyExists,
            Self::FailedPrecondition => Code::FailedPrecondition,
            Self::Aborted => Code::Aborted,
            Self::TooLarge => Code::OutOfRange,
            Self::Busy | Self::StorageFull => Code::ResourceExhausted,
            Self::Internal => Code::Internal,
        }
    }
}

/// Invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path of the field in the request message, such as `trades[3].stop_loss`.
    pub field: Cow<'static, str>,
    /// Stable reason code, such as `TOO_SHORT`.
    pub reason: &'static str,
    /// Values of the text for people, by name, such as the maximum length.
    pub params: Vec<(&'static str, String)>,
}

impl Violation {
    /// Creates a violation without values.
    pub fn new(field: impl Into<Cow<'static, str>>, reason: &'static str) -> Self {
        Self { field: field.into(), reason, params: Vec::new() }
    }

    /// Adds a value of the text for people.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }
}

/// Domain error that can be converted to a gRPC status.
///
/// Its `Display` is for the log; the sentence for people is found by [`service`](Self::service) and reason in the crate
/// `texts`.
pub trait Failure: Error + 'static {
    /// Returns the kind, which determines the gRPC status code.
    fn kind(&self) -> Kind;

    /// Returns the stable reason code, such as `EMAIL_TAKEN`.
    fn reason(&self) -> &'static str;

    /// Returns the name of the service, which is the section of its texts in the crate `texts`.
    fn service(&self) -> &'static str {
        "common"
    }

    /// Returns the invalid fields.
    fn violations(&self) -> Vec<Violation> {
        Vec::new()
    }

    /// Returns additional values for programs, by name: the `metadata` of `ErrorInfo`.
    fn metadata(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the delay before a retry.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// Converts a failure to a gRPC status.
///
/// Failures of [`Kind::StorageFull`] and [`Kind::Internal`] are logged here with their source chain; the status contains
/// only a fixed reason code.
pub fn to_status(failure: &impl Failure) -> Status {
    let kind = failure.kind();
    let mut details = ErrorDetails::new();
    let fixed = match kind {
        Kind::Internal => Some(INTERNAL_REASON),
        Kind::StorageFull => Some(STORAGE_FULL_REASON),
        Kind::Invalid
        | Kind::Unauthenticated
        | Kind::Forbidden
        | Kind::NotFound
        | Kind::AlreadyExists
        | Kind::FailedPrecondition
        | Kind::Aborted
        | Kind::TooLarge
        | Kind::Busy => None,
    };
    if let Some(reason) = fixed {
        tracing::error!(error = %error_chain(failure), reason = failure.reason(), "internal failure");
        details.set_error_info(reason, format!("{}.{ERROR_DOMAIN}", failure.service()), HashMap::new());
        return Status::with_error_details(kind.code(), reason, details);
    }
    let violations = failure.violations();
    let mut metadata: HashMap<String, String> =
        failure.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    for violation in &violations {
        let values = violation.params.iter();
        metadata.extend(values.map(|(name, value)| (format!("{}:{name}", violation.field), value.clone())));
    }
    details.set_error_info(failure.reason(), format!("{}.{ERROR_DOMAIN}", failure.service()), metadata);
    let message = developer_message(failure.reason(), &violations);
    if !violations.is_empty() {
        details.set_bad_request(violations.into_iter().map(to_field_violation).collect::<Vec<_>>());
    }
    if let Some(delay) = failure.retry_after() {
        details.set_retry_info(Some(delay));
    }
    Status::with_error_details(kind.code(), message, details)
}

/// Returns the service that set `domain` in an `ErrorInfo`, or `None` if it is not one of ours.
pub fn service_of_domain(domain: &str) -> Option<&str> {
    domain.strip_suffix(ERROR_DOMAIN)?.strip_suffix('.')
}

/// Returns the codes as one line, for developers who read a status.
fn developer_message(reason: &str, violations: &[Violation]) -> String {
    let mut message = reason.to_owned();
    for (index, violation) in violations.iter().enumerate() {
        let separator = if index == 0 { ": " } else { ", " };
        message.extend([separator, &violation.field, " ", violation.reason]);
    }
    message
}

fn to_field_violation(violation: Violation) -> FieldViolation {
    let mut field_violation = FieldViolation::new(violation.field, "");
    field_violation.reason = violation.reason.to_owned();
    field_violation
}

/// Returns the messages of an error and all its sources on one line.
pub fn error_chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line.push_str(": ");
        line.push_str(&error.to_string());
        source = error.source();
    }
    line
}

/// Returns true if the error or one of its sources is an I/O error because a disk or a quota is full.
pub fn is_storage_full(error: &(dyn Error + 'static)) -> bool {
    let is_full = |io: &io::Error| matches!(io.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    iter::successors(Some(error), |&error| error.source()).any(|error| error.downcast_ref().is_some_and(is_full))
}
