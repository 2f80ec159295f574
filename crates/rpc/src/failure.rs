//! How a domain error looks from outside: a few kinds, a stable reason, and the fields at fault.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;
use std::{io, iter};

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

/// The product's name in the details of a failure.
pub const DOMAIN: &str = "tradebahi";

/// The one sentence that an internal failure says. Whether anything was changed, nobody may know: a commit whose answer
/// got lost may have been made.
const INTERNAL: &str = "Something went wrong on our side.";

/// The reason that is sent of every failure of [`Kind::Full`].
pub const STORE_FULL: &str = "STORE_FULL";
/// What every failure of [`Kind::Full`] says.
pub const NO_ROOM: &str = "There is no room left for this on our side. Nothing was changed. Try again later.";

/// How Postgres says that a lock was not to be had in time: lock_not_available.
pub const LOCK_NOT_AVAILABLE: &str = "55P03";
/// How Postgres says that there is no room on its disk: disk_full.
pub const DISK_FULL: &str = "53100";

/// The kinds of failure a caller can act on. Add one only when a caller would act differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Well-formed, but against a rule: correct it.
    Invalid,
    /// Who you are is not known, or not any more: sign in.
    Unauthenticated,
    /// You may not.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// It collides with what is there.
    Conflict,
    /// Larger than we take.
    TooLarge,
    /// Too much at once: try again after a while.
    Busy,
    /// No room on a disk of ours: try again when somebody has made some.
    Full,
    /// Our fault.
    Internal,
}

/// One field of the request, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field as the request names it.
    pub field: Cow<'static, str>,
    /// A stable name for programs, such as `TOO_SHORT`.
    pub reason: &'static str,
    /// A sentence for people.
    pub message: String,
}

/// A domain error that knows how it looks from outside.
///
/// Its `Display` is for the log. What people read is [`Failure::message`].
pub trait Failure: Error + 'static {
    /// What the caller can do about it.
    fn kind(&self) -> Kind;

    /// A stable name for programs, such as `EMAIL_TAKEN`.
    fn reason(&self) -> &'static str;

    /// A sentence for people. Not sent where the kind is [`Kind::Full`] or [`Kind::Internal`].
    fn message(&self) -> String;

    /// The fields at fault.
    fn violations(&self) -> Vec<Violation> {
        Vec::new()
    }

    /// Facts that a program needs beside the reason, by name.
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// How long to wait before trying again.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

/// What is sent of `failure`. One that is ours to mend, internal or for want of room, is logged here, once, with its
/// sources, and nothing of it is sent.
pub fn status(failure: &impl Failure) -> Status {
    let kind = failure.kind();
    let code = match kind {
        Kind::Invalid => Code::InvalidArgument,
        Kind::Unauthenticated => Code::Unauthenticated,
        Kind::Forbidden => Code::PermissionDenied,
        Kind::NotFound => Code::NotFound,
        Kind::Conflict => Code::AlreadyExists,
        Kind::TooLarge => Code::OutOfRange,
        Kind::Busy | Kind::Full => Code::ResourceExhausted,
        Kind::Internal => Code::Internal,
    };
    let mut details = ErrorDetails::new();
    let ours = match kind {
        Kind::Internal => Some(("INTERNAL", INTERNAL)),
        Kind::Full => Some((STORE_FULL, NO_ROOM)),
        _ => None,
    };
    if let Some((reason, sentence)) = ours {
        tracing::error!(error = %chain(failure), reason = failure.reason(), "internal failure");
        details.set_error_info(reason, DOMAIN, HashMap::new());
        return Status::with_error_details(code, sentence, details);
    }
    let facts: HashMap<String, String> =
        failure.facts().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    details.set_error_info(failure.reason(), DOMAIN, facts);
    let violations = failure.violations();
    if !violations.is_empty() {
        details.set_bad_request(violations.into_iter().map(wire_violation).collect::<Vec<_>>());
    }
    if let Some(wait) = failure.retry_after() {
        details.set_retry_info(Some(wait));
    }
    Status::with_error_details(code, failure.message(), details)
}

fn wire_violation(violation: Violation) -> FieldViolation {
    let mut wire = FieldViolation::new(violation.field, violation.message);
    wire.reason = violation.reason.to_owned();
    wire
}

/// An error with all that caused it, on one line.
pub fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line
}

/// Whether an error comes of a disk without room, however deep that is said.
pub fn is_full(error: &(dyn Error + 'static)) -> bool {
    let full = |io: &io::Error| matches!(io.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    iter::successors(Some(error), |&error| error.source()).any(|error| error.downcast_ref().is_some_and(full))
}

/// The name of a constraint of the database as the schema has it. On a cluster the number of the table's shard stands
/// behind it: `login_pkey_102008`.
pub fn without_shard(constraint: &str) -> &str {
    let numbered =
        constraint.rsplit_once('_').filter(|(_, shard)| !shard.is_empty() && shard.bytes().all(|b| b.is_ascii_digit()));
    numbered.map_or(constraint, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::without_shard;

    #[test]
    fn a_constraint_is_known_on_a_cluster_too() {
        for (name, want) in [
            ("login_pkey", "login_pkey"),
            ("login_pkey_102008", "login_pkey"),
            ("login_pkey_", "login_pkey_"),
            ("login_pkey_1a", "login_pkey_1a"),
            ("login", "login"),
        ] {
            assert_eq!(without_shard(name), want);
        }
    }
}
