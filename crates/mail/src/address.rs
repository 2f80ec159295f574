//! Canonical form of email addresses.

use lettre::Address;
use url::Host;

/// Maximum length of an address in bytes (RFC 5321, 4.5.3.1.3, without the angle brackets).
const MAX_ADDRESS_BYTES: usize = 254;
/// Characters of a local part besides ASCII letters and digits (RFC 5322, 3.2.3).
const LOCAL_PART_SYMBOLS: &str = "!#$%&'*+-/=?^_`{|}~.";

/// Returns the canonical form of an email address, or `None` if the text is not an address that can be written to.
///
/// The canonical form is ASCII in lower case, with an internationalized domain as Punycode. Addresses must be compared,
/// stored and written to in this form only: a comparison by another rule than the delivery lets one person claim the
/// address of another. A local part with other characters is rejected, because the lower case of `\u{212a}` (KELVIN
/// SIGN) is the letter k.
pub fn canonical_address(text: &str) -> Option<String> {
    let (local, domain) = text.trim().rsplit_once('@')?;
    if !local.chars().all(|c| c.is_ascii_alphanumeric() || LOCAL_PART_SYMBOLS.contains(c)) {
        return None;
    }
    // `Host::parse` decodes percent-encoding, which is not part of an address.
    if domain.contains('%') || !domain.contains('.') || domain.ends_with('.') {
        return None;
    }
    let Ok(Host::Domain(domain)) = Host::parse(domain) else {
        return None;
    };
    let local = local.to_ascii_lowercase();
    let canonical = format!("{local}@{domain}");
    let is_valid = domain.contains('.')
        && !domain.split('.').any(str::is_empty)
        && canonical.len() <= MAX_ADDRESS_BYTES
        && Address::new(local, domain).is_ok();
    is_valid.then_some(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_an_address_has_one_canonical_form() {
        for (text, want) in [
            (" Asha.Rao+trades@Example.IN ", "asha.rao+trades@example.in"),
            ("asha@b\u{fc}cher.example", "asha@xn--bcher-kva.example"),
            ("asha@B\u{dc}CHER.example", "asha@xn--bcher-kva.example"),
            ("asha@xn--bcher-kva.example", "asha@xn--bcher-kva.example"),
            // The mapping of domains is the same one that finds the mail server.
            ("asha@\u{212a}ite.example", "asha@kite.example"),
            ("o'brien@example.in", "o'brien@example.in"),
        ] {
            let canonical = canonical_address(text);
            assert_eq!(canonical.as_deref(), Some(want), "{text:?}");
            assert_eq!(canonical_address(want).as_deref(), Some(want), "the canonical form does not change");
            assert!(want.parse::<Address>().is_ok(), "{want:?} can be written to");
        }
    }

    #[test]
    fn s4_rejects_addresses_that_look_like_others_or_cannot_be_written_to() {
        let long_local = format!("{}@example.in", "x".repeat(65));
        let long_domain = format!("asha@{}example.in", "x.".repeat(130));
        for text in [
            "",
            "asha",
            "@example.in",
            "asha@",
            "asha@example",
            "asha@.in",
            "asha@example.",
            "asha@example..in",
            "asha@rao@example.in",
            "asha rao@example.in",
            "asha@exam ple.in",
            "asha@127.0.0.1",
            "asha@[127.0.0.1]",
            "asha@ex%61mple.in",
            "asha\u{212a}umar@example.in",
            "ash\u{e1}@example.in",
            "\"asha rao\"@example.in",
            "asha\u{0}@example.in",
            "asha@exam\u{0}ple.in",
            "asha\u{202e}@example.in",
            ".asha@example.in",
            long_local.as_str(),
            long_domain.as_str(),
        ] {
            assert_eq!(canonical_address(text), None, "{text:?}");
        }
    }
}
