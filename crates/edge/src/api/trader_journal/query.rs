//! Parsers of the queries and paths of `/journal/…`. The core validates labels and dates.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use http::{StatusCode, Uri};
use http_server::path_id::parse_path_id;
use http_server::problem::{FieldError, Problem};
use http_server::query::{ParameterResult, parse_limit, read_query};
use rpc::json::JsonName as _;
use rpc::trader_journal::v1::{EntryKind, Filter, GroupEntriesRequest, Label, SearchEntriesRequest};
use time::Date;
use time::macros::format_description;

use crate::error_texts::{field_text, invalid_field, invalid_flag, problem};

/// Maximum number of entries on a page of a search.
const MAX_PAGE_SIZE: i32 = 100;
/// Maximum length of a value; the limits of the core are lower.
const MAX_VALUE_BYTES: usize = 1_000;

/// Parses the query of `/journal/search`.
pub(super) fn parse_search(uri: &Uri) -> Result<SearchEntriesRequest, Problem> {
    let mut request = SearchEntriesRequest { filter: None, page_size: 0, page_token: String::new() };
    let mut filter = Filter::default();
    read_query(uri, |name, value| match name {
        "limit" => Some(parse_limit(value, MAX_PAGE_SIZE).map(|limit| request.page_size = limit).err()),
        "cursor" if value.is_empty() => Some(Some(invalid_field("edge", "cursor"))),
        "cursor" => {
            value.clone_into(&mut request.page_token);
            Some(None)
        }
        _ => read_filter(&mut filter, name, value),
    })?;
    Ok(SearchEntriesRequest { filter: Some(filter), ..request })
}

/// Parses the query of `/journal/groups`.
pub(super) fn parse_groups(uri: &Uri) -> Result<GroupEntriesRequest, Problem> {
    let (mut filter, mut by, mut with_positions) = (Filter::default(), None, false);
    read_query(uri, |name, value| match name {
        "by" => {
            by = Label::from_json_name(value);
            Some(by.is_none().then(invalid_label))
        }
        "figures" => match value.parse() {
            Ok(figures) => {
                with_positions = figures;
                Some(None)
            }
            Err(_) => Some(Some(invalid_flag("figures"))),
        },
        _ => read_filter(&mut filter, name, value),
    })?;
    match by {
        Some(by) => Ok(GroupEntriesRequest { filter: Some(filter), by: by.into(), with_positions }),
        None => Err(Problem::from_field_errors(vec![FieldError::required("by")])),
    }
}

fn invalid_label() -> FieldError {
    FieldError::new("by", "invalid", field_text("journal", "by", "LABEL_KIND_MISSING", &[]))
}

/// Reads a parameter of a filter. Several tags or mistakes are separated by commas.
fn read_filter(filter: &mut Filter, name: &str, value: &str) -> ParameterResult {
    if value.len() > MAX_VALUE_BYTES {
        return Some(Some(FieldError { code: "invalid".into(), ..FieldError::unknown(name) }));
    }
    let split = || value.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let mut error = None;
    match name {
        "q" => value.clone_into(&mut filter.text),
        "tags" => filter.tags = split(),
        "mistakes" => filter.mistakes = split(),
        "setup" => value.clone_into(&mut filter.setup),
        "emotion" => value.clone_into(&mut filter.emotion),
        // The core takes an empty date as an absent one.
        "from" | "to" if value.is_empty() => {
            let message = field_text("journal", name, "DATE_INVALID", &[]).into();
            error = Some(FieldError { field: name.to_owned().into(), code: "invalid".into(), message });
        }
        "from" => value.clone_into(&mut filter.from),
        "to" => value.clone_into(&mut filter.to),
        "kind" => match EntryKind::from_json_name(value) {
            Some(kind) => filter.kind = kind.into(),
            None => {
                let text = field_text("journal", "kind", "ENTRY_KIND_MISSING", &[]);
                error = Some(FieldError::new("kind", "invalid", text));
            }
        },
        "rating" => match parse_limit(value, 5) {
            Ok(rating) => filter.rating = rating,
            Err(_) => {
                let text = field_text("journal", "rating", "RATING_INVALID", &[]);
                error = Some(FieldError::new("rating", "invalid", text));
            }
        },
        "reviewed" => match value.parse() {
            Ok(reviewed) => filter.reviewed = Some(reviewed),
            Err(_) => error = Some(invalid_flag("reviewed")),
        },
        _ => return None,
    }
    Some(error)
}

/// Parses the query of a deletion: the version of the entry.
pub(super) fn parse_version(uri: &Uri) -> Result<i64, Problem> {
    let mut version = None;
    read_query(uri, |name, value| match name {
        "version" => {
            version = value.parse().ok().filter(|version: &i64| *version > 0);
            let text = || field_text("journal", "version", "VERSION_INVALID", &[]);
            Some(version.is_none().then(|| FieldError::new("version", "invalid", text())))
        }
        _ => None,
    })?;
    version.ok_or_else(|| Problem::from_field_errors(vec![FieldError::required("version")]))
}

/// Defines an extractor of an id in a path. A malformed id is rejected with 404 and the code.
macro_rules! path_id {
    ($(#[$doc:meta])* $name:ident, $code:literal) => {
        $(#[$doc])*
        pub(super) struct $name(pub i64);

        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
                let not_found = || problem(StatusCode::NOT_FOUND, "journal", $code);
                parse_path_id(parts, state).await.map(Self).ok_or_else(not_found)
            }
        }
    };
}

path_id!(
    /// Id of an entry.
    EntryId,
    "entry_not_found"
);
path_id!(
    /// Id of a change.
    ChangeId,
    "change_not_found"
);
path_id!(
    /// Id of a playbook.
    PlaybookId,
    "playbook_not_found"
);
path_id!(
    /// Id of a template.
    TemplateId,
    "template_not_found"
);

/// Id of a screenshot in a path. The core rejects a malformed one with 404, like this extractor.
pub(super) struct ScreenshotId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for ScreenshotId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(problem(StatusCode::NOT_FOUND, "journal", "screenshot_not_found")),
        }
    }
}

/// Date in a path. A malformed date is rejected with 404.
pub(super) struct DayPath(pub String);

impl<S: Send + Sync> FromRequestParts<S> for DayPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let format = format_description!("[year]-[month]-[day]");
        let is_date = |text: &String| text.len() == 10 && Date::parse(text, format).is_ok();
        let date = path.ok().map(|Path(text)| text).filter(is_date);
        date.map(Self).ok_or_else(|| Problem::from_status(StatusCode::NOT_FOUND))
    }
}
