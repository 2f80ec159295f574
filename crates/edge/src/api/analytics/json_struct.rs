//! Declares JSON structs together with the conversions of their fields from messages.

use serde_json::value::RawValue;

use crate::json::{JsonError, raw_decimal};

/// JSON number with the exact text of a decimal.
pub(crate) type Number = Box<RawValue>;

/// Declares a JSON struct and its conversion from a message of the analytics service. The expression after a field is
/// the function that converts the field of the same name in the message.
macro_rules! json_struct {
    ($(#[$doc:meta])* $name:ident from $wire:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $convert:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name { $($(#[$field_doc])* $field: $type),+ }

        impl TryFrom<rpc::analytics::v1::$wire> for $name {
            type Error = JsonError;

            fn try_from(message: rpc::analytics::v1::$wire) -> Result<Self, JsonError> {
                Ok(Self { $($field: $convert(message.$field)?),+ })
            }
        }
    };
}
pub(crate) use json_struct;

/// Returns a field unchanged.
pub(crate) fn copy_value<T>(value: T) -> Result<T, JsonError> {
    Ok(value)
}

/// Converts a decimal; an empty text becomes null.
pub(crate) fn optional_decimal(text: String) -> Result<Option<Number>, JsonError> {
    if text.is_empty() { Ok(None) } else { raw_decimal(text).map(Some) }
}

/// Converts a text; an empty text becomes null.
pub(crate) fn optional_text(text: String) -> Result<Option<String>, JsonError> {
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Converts a list of messages.
pub(crate) fn convert_list<M, J: TryFrom<M, Error = JsonError>>(messages: Vec<M>) -> Result<Vec<J>, JsonError> {
    messages.into_iter().map(J::try_from).collect()
}

/// Converts a message that may be absent.
pub(crate) fn convert_optional<M, J: TryFrom<M, Error = JsonError>>(
    message: Option<M>,
) -> Result<Option<J>, JsonError> {
    message.map(J::try_from).transpose()
}

/// Converts a message that the core always sends.
pub(crate) fn convert_required<M: Default, J: TryFrom<M, Error = JsonError>>(
    message: Option<M>,
) -> Result<J, JsonError> {
    J::try_from(message.unwrap_or_default())
}
