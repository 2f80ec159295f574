//! Keys of broker accounts in the tables: `zerodha` for the first account with Zerodha, `zerodha-2` for the second.

/// Maximum number of accounts with one broker.
pub const MAX_BROKER_ACCOUNTS: u8 = 20;

/// Returns the key of the account with this number, from 1.
pub fn broker_account_key(broker: &str, number: u8) -> String {
    if number == 1 { broker.to_owned() } else { format!("{broker}-{number}") }
}

/// Splits a key into the name of the broker and the number of the account; none if it is not a key.
pub fn parse_broker_account_key(key: &str) -> Option<(&str, u8)> {
    match key.split_once('-') {
        None => Some((key, 1)),
        Some((broker, digits)) => {
            let number = digits.parse().ok().filter(|number| (2..=MAX_BROKER_ACCOUNTS).contains(number))?;
            (broker_account_key(broker, number) == key).then_some((broker, number))
        }
    }
}

/// Converts the number of an account from its proto value, in which 0 is the first account.
pub fn parse_account_number(number: u32) -> Option<u8> {
    u8::try_from(number.max(1)).ok().filter(|number| *number <= MAX_BROKER_ACCOUNTS)
}

/// Converts the number of an account to its proto value.
pub fn to_wire_account_number(number: u8) -> u32 {
    if number == 1 { 0 } else { number.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_exactly_one_form() {
        for (key, parts) in [("zerodha", ("zerodha", 1)), ("groww-2", ("groww", 2)), ("5paisa-20", ("5paisa", 20))] {
            assert_eq!(parse_broker_account_key(key), Some(parts));
            assert_eq!(broker_account_key(parts.0, parts.1), key);
        }
        for key in ["zerodha-1", "zerodha-0", "zerodha-02", "zerodha-+2", "zerodha-21", "zerodha-", "zerodha-2-3"] {
            assert_eq!(parse_broker_account_key(key), None, "{key}");
        }
    }

    #[test]
    fn the_first_account_is_0_in_messages_and_1_is_accepted() {
        assert_eq!([0, 1, 2, 20, 21].map(parse_account_number), [Some(1), Some(1), Some(2), Some(20), None]);
        assert_eq!([1, 2].map(to_wire_account_number), [0, 2]);
    }
}
