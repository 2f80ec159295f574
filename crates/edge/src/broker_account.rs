//! Number of an account with a broker, in requests.

use http_server::json_fields::JsonFields;
use rpc::broker_account::MAX_BROKER_ACCOUNTS;

use crate::error_texts::invalid_text;

/// Parses the number of an account; none if it is invalid.
pub(crate) fn parse_account_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| (1..=MAX_BROKER_ACCOUNTS.into()).contains(number))
}

/// Parses the field `brokerAccount`; none if it is absent or invalid. An error is added to `fields`.
pub(crate) fn parse_broker_account(fields: &mut JsonFields) -> Option<u32> {
    let number = fields.whole_number("brokerAccount")?;
    let account = parse_account_number(&number.to_string());
    if account.is_none() {
        fields.add_error("brokerAccount", "invalid", invalid_text("edge", "brokerAccount"));
    }
    account
}
