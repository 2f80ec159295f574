//! Domains of senders.

/// Returns a domain in lower case; an error if the text is not a domain.
pub(crate) fn parse_domain(text: &str) -> Result<String, &'static str> {
    let domain = text.trim().to_ascii_lowercase();
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    if domain.split('.').all(is_label) { Ok(domain) } else { Err("not a domain such as zerodha.com") }
}

/// Returns true if an email address is of one of the domains, or of a subdomain of one.
pub(super) fn is_of_domains(address: &str, domains: &[String]) -> bool {
    let Some((local, domain)) = address.split_once('@') else { return false };
    // Programs disagree about the domain of an address with several of them.
    if local.is_empty() || domain.contains('@') {
        return false;
    }
    let domain = domain.to_ascii_lowercase();
    domains.iter().any(|allowed| {
        domain.strip_suffix(allowed.as_str()).is_some_and(|subdomain| subdomain.is_empty() || subdomain.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_domain_and_its_subdomains() {
        let domains = ["zerodha.com", "groww.in"].map(str::to_owned);
        for (address, is_accepted) in [
            ("no-reply@zerodha.com", true),
            ("No-Reply@Mail.ZERODHA.com", true),
            ("a@groww.in", true),
            ("a@notzerodha.com", false),
            ("a@zerodha.com.example", false),
            ("zerodha.com", false),
            ("@zerodha.com", false),
            ("a@evil.example@zerodha.com", false),
            ("", false),
        ] {
            assert_eq!(is_of_domains(address, &domains), is_accepted, "{address}");
        }
    }

    #[test]
    fn parses_domains() {
        assert_eq!(parse_domain(" Zerodha.COM "), Ok("zerodha.com".to_owned()));
        for text in ["", ".", "zerodha..com", "a@zerodha.com", "*.zerodha.com", "zerodha.com."] {
            assert!(parse_domain(text).is_err(), "{text}");
        }
    }
}
