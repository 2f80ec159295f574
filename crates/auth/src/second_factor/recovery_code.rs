//! Recovery codes: single-use codes that replace a lost second factor.

use zeroize::Zeroizing;

use crate::error::{Error, InternalError};
use crate::secret::Secret;
use crate::token::TokenHash;

/// Number of recovery codes of an account.
pub(crate) const CODE_COUNT: usize = 10;
/// Random bytes of a code; more than 112 bits, so that a fast hash protects the stored code.
const CODE_BYTES: usize = 15;
/// Characters of a group; people copy groups more reliably than long codes.
const GROUP_CHARS: usize = 4;
/// Base32 of Crockford: digits and letters that cannot be mistaken for each other.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Generates a code such as `7k3m-9q2x-v5hd-w0tz-4n8r-c1gj`.
pub(crate) fn generate() -> Result<Secret, Error> {
    let mut bytes = Zeroizing::new([0; CODE_BYTES]);
    getrandom::fill(&mut *bytes).map_err(InternalError::Random)?;
    let bits = bytes.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let mut code = String::with_capacity(CODE_BYTES * 2);
    for position in (0..CODE_BYTES * 8 / 5).rev() {
        let index = usize::try_from(bits >> (position * 5) & 31).unwrap_or_default();
        code.extend(ALPHABET.get(index).map(|byte| char::from(*byte)));
        if position > 0 && position % GROUP_CHARS == 0 {
            code.push('-');
        }
    }
    Ok(Secret::new(code))
}

/// Hashes a code as typed: separators and case do not count, and easily confused letters are read as digits.
pub(crate) fn hash(code: &str) -> TokenHash {
    let normalized: Zeroizing<String> = Zeroizing::new(
        code.chars()
            .filter(|c| !c.is_whitespace() && *c != '-')
            .map(|c| match c.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                c => c,
            })
            .collect(),
    );
    TokenHash::from_token(&normalized)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_codes_are_random_groups_that_tolerate_typing() {
        let code = generate().unwrap();
        let groups: Vec<&str> = code.expose().split('-').collect();
        assert!(groups.len() == 6 && groups.iter().all(|group| group.len() == 4), "{groups:?}");
        assert!(code.expose().bytes().all(|byte| byte == b'-' || ALPHABET.contains(&byte)));
        assert_ne!(code.expose(), generate().unwrap().expose());
        let typed = format!(" {} ", code.expose().replace('-', " ").replace('0', "O").replace('1', "l"));
        assert_eq!(hash(&typed.to_uppercase()), hash(code.expose()));
        assert_ne!(hash("0000-0000-0000-0001"), hash("0000-0000-0000-0000"));
    }
}
