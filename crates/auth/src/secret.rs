//! Secret text that must not be printed.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::error::{Error, InternalError};

/// Password or opaque token: masked in `Debug`, zeroed when dropped.
pub(crate) struct Secret(Zeroizing<String>);

impl Secret {
    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Generates 32 random bytes as base64url.
    pub(crate) fn generate() -> Result<Self, Error> {
        rpc::secret::generate().map(Self::new).map_err(|error| InternalError::Random(error).into())
    }

    /// Returns true if the text has the format of [`generate`](Self::generate).
    pub(crate) fn is_well_formed(text: &str) -> bool {
        URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
    }

    /// Returns the text. Do not log or store it.
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
    fn debug_output_masks_the_secret() {
        assert_eq!(format!("{:?}", Secret::new("hunter42".to_owned())), "Secret(…)");
    }

    #[test]
    fn recognizes_the_format_of_generated_secrets() {
        assert!(Secret::is_well_formed(Secret::generate().unwrap().expose()));
        for malformed in ["", "made up", &"A".repeat(42), &"A".repeat(44), &"=".repeat(43), &"+".repeat(43)] {
            assert!(!Secret::is_well_formed(malformed), "{malformed}");
        }
    }
}
