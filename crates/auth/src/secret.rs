//! Text that must not be printed.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::error::Error;

/// A password or an opaque token: masked in `Debug`, wiped when dropped.
pub(crate) struct Secret(Zeroizing<String>);

impl Secret {
    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Draws 32 random bytes, as base64url.
    pub(crate) fn draw() -> Result<Self, Error> {
        rpc::secret::draw().map(Self::new).map_err(Error::Random)
    }

    /// Whether a text is as [`draw`](Self::draw) makes them.
    pub(crate) fn is_drawn(text: &str) -> bool {
        URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
    }

    /// The text itself. Whoever asks must not keep or log it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print_itself() {
        assert_eq!(format!("{:?}", Secret::new("hunter42".to_owned())), "Secret(…)");
    }

    #[test]
    fn what_was_drawn_is_told_from_what_was_made_up() {
        assert!(Secret::is_drawn(Secret::draw().unwrap().expose()));
        for made_up in ["", "made up", &"A".repeat(42), &"A".repeat(44), &"=".repeat(43), &"+".repeat(43)] {
            assert!(!Secret::is_drawn(made_up), "{made_up}");
        }
    }
}
