//! Secrets that open something to whoever shows them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
pub use getrandom::Error;
use zeroize::Zeroizing;

/// Draws 32 bytes from the system's generator, as base64url.
pub fn draw() -> Result<String, Error> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(random.as_mut())?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}
