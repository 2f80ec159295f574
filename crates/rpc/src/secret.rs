//! Generation of bearer secrets: random texts that grant access to whoever presents them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
pub use getrandom::Error;
use zeroize::Zeroizing;

/// Generates 32 random bytes with the operating system's generator, encoded as base64url.
///
/// # Errors
/// If the operating system returns no random bytes.
pub fn generate() -> Result<String, Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(random.as_mut())?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}
