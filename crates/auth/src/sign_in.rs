//! A sign-in: one device that stays signed in by exchanging refresh tokens.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::secret::Secret;
use crate::token::TokenHash;

const LONGEST_USER_AGENT: usize = 256;
const LONGEST_ADDRESS: usize = 64;

/// Where a sign-in comes from.
#[derive(Debug, Default)]
pub(crate) struct Device {
    pub(crate) user_agent: String,
    pub(crate) address: String,
    /// What it was given when it signed in before.
    pub(crate) token: Option<Secret>,
}

impl Device {
    /// Both texts come from outside: they are cut rather than refused, for they only help to recognise a device.
    pub(crate) fn new(user_agent: &str, address: &str) -> Self {
        Self { user_agent: cut(user_agent, LONGEST_USER_AGENT), address: cut(address, LONGEST_ADDRESS), token: None }
    }

    /// The same device, which shows what it was given.
    pub(crate) fn with_token(self, token: String) -> Self {
        Self { token: Some(Secret::new(token)).filter(|token| !token.expose().is_empty()), ..self }
    }

    pub(crate) fn token_hash(&self) -> Option<TokenHash> {
        self.token.as_ref().map(|token| TokenHash::of(token.expose()))
    }
}

fn cut(text: &str, longest: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(longest).collect()
}

/// A sign-in that has just begun or been renewed.
pub(crate) struct SignIn {
    pub(crate) account_id: Uuid,
    pub(crate) sign_in_id: Uuid,
    pub(crate) name: String,
    pub(crate) email: String,
    /// When its newest refresh token stops working if it is not used.
    pub(crate) refresh_expires_at: OffsetDateTime,
}

/// A refresh token that somebody holds out, beside what its sign-in remembers.
pub(crate) struct Presented {
    pub(crate) hash: TokenHash,
    /// The token that it was made for.
    pub(crate) predecessor: Option<TokenHash>,
    /// The token that was taken last.
    pub(crate) taken_last: Option<TokenHash>,
    /// The token is past its time, or its sign-in is over.
    pub(crate) over: bool,
}

/// What a presented refresh token is good for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// The next token.
    Renew,
    /// Nothing: it is past its time.
    Over,
    /// The end of the sign-in: the token was retired, so two hold tokens of one sign-in.
    Reused,
}

impl Presented {
    /// A token is good when it was made for the one taken last, and then stays good until one made for it is taken:
    /// a reply may get lost, and two tabs may ask at once. All that are made for one token are equally good, because
    /// nobody knows which of the replies the browser kept.
    pub(crate) fn exchange(&self) -> Exchange {
        if self.over {
            return Exchange::Over;
        }
        let first_time = self.predecessor == self.taken_last;
        let again = self.taken_last.as_ref() == Some(&self.hash);
        if first_time || again { Exchange::Renew } else { Exchange::Reused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_cut_and_cleaned() {
        let device = Device::new(&format!("Mozilla\r\n{}", "é".repeat(300)), &"1".repeat(100));
        assert_eq!(device.user_agent, format!("Mozilla{}", "é".repeat(249)));
        assert_eq!(device.address, "1".repeat(64));
    }

    #[test]
    fn only_the_token_taken_last_and_those_made_for_it_are_good() {
        // first → second → third; sibling was made for first as well.
        let [first, second, sibling, third] = ["first", "second", "sibling", "third"].map(TokenHash::of);
        let made_for = |hash: &TokenHash| {
            let makers = [(&second, &first), (&sibling, &first), (&third, &second)];
            makers.into_iter().find(|(made, _)| *made == hash).map(|(_, maker)| maker.clone())
        };
        for (taken_last, hash, want) in [
            (None, &first, Exchange::Renew),
            (Some(&first), &first, Exchange::Renew),
            (Some(&first), &second, Exchange::Renew),
            (Some(&first), &sibling, Exchange::Renew),
            (Some(&second), &second, Exchange::Renew),
            (Some(&second), &third, Exchange::Renew),
            (Some(&second), &first, Exchange::Reused),
            (Some(&second), &sibling, Exchange::Reused),
            (Some(&third), &second, Exchange::Reused),
        ] {
            let (predecessor, taken_last) = (made_for(hash), taken_last.cloned());
            let presented = Presented { hash: hash.clone(), predecessor, taken_last, over: false };
            assert_eq!(presented.exchange(), want);
            assert_eq!(Presented { over: true, ..presented }.exchange(), Exchange::Over);
        }
    }
}
